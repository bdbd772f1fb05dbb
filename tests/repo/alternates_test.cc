#include "repo/alternates.h"

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace pfetch::repo {

using List = std::vector<std::string>;

TEST(Alternates, SplitsQuotedEntriesAndComments) {
  EXPECT_EQ(split_alternates("/a:\"/b:c\\t\":#no:/d::\"/open", ':'), (List{"/a", "/b:c\t", "/d", "\"/open"}));
  EXPECT_EQ(split_alternates("# comment\n/a b\n\n\"/c\\nd\"\n", '\n'), (List{"/a b", "/c\nd"}));
}

TEST(Alternates, FollowsFilesFromOneToTheNextAndListsEachOnce) {
  test::Scratch scratch;
  for (const char* name : {"a", "b", "c", "env"}) base::make_directories(scratch / name + "/objects/info");
  scratch.write("a/objects/info/alternates", "../../b/objects\n" + (scratch / "gone") + "\n");
  scratch.write("b/objects/info/alternates", "../../c/objects/\n../../a/objects\n");
  scratch.write("c/objects/info/alternates", scratch / "b/objects\n");
  const auto environment =
      Environment::from({{"GIT_ALTERNATE_OBJECT_DIRECTORIES", "\"" + (scratch / "env/objects") + "\""}});
  const Alternates found = alternate_object_directories(scratch / "a/objects", environment);
  EXPECT_EQ(found.directories, (List{scratch / "env/objects", scratch / "b/objects", scratch / "c/objects"}));
  EXPECT_EQ(found.warnings,
            (List{"object directory " + (scratch / "gone") + " does not exist; check .git/objects/info/alternates"}));
}

TEST(Alternates, StopsWhereNestingIsTooDeep) {
  test::Scratch scratch;
  for (int i = 0; i < 9; ++i) {
    scratch.write(std::to_string(i) + "/info/alternates", scratch / std::to_string(i + 1) + "\n");
  }
  const Alternates found = alternate_object_directories(scratch / "0", Environment{});
  EXPECT_EQ(found.directories.size(), 6U);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].find("nesting too deep"), std::string::npos);
}

}  // namespace pfetch::repo
