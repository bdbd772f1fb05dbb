#include "repo/paths.h"

#include <gtest/gtest.h>

namespace pfetch::repo {

TEST(NormalisedPath, LosesDotsAndDoubleSlashes) {
  EXPECT_EQ(normalised_path("/a//b/./c/../d/"), "/a/b/d");
  EXPECT_EQ(normalised_path("../x/../../y"), "../../y");
  EXPECT_EQ(normalised_path("/"), "/");
  EXPECT_EQ(normalised_path("/.."), "");
}

TEST(Paths, JoinAndSplit) {
  EXPECT_EQ(path_below("/a", "b"), "/a/b");
  EXPECT_EQ(path_below("/", "b"), "/b");
  EXPECT_EQ(path_below("/a", "/b"), "/b");
  EXPECT_EQ(directory_of("/a/b"), "/a");
  EXPECT_EQ(directory_of("/a"), "/");
  EXPECT_EQ(directory_of("a"), ".");
  EXPECT_EQ(real_path("/no/such/place"), std::nullopt);
}

}  // namespace pfetch::repo
