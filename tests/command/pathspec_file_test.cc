#include "command/pathspec_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/error_message.h"

namespace pfetch::command {
namespace {

using Items = std::vector<std::string>;
using namespace std::string_view_literals;

TEST(PathspecFile, HasOneItemOnEachLine) {
  EXPECT_EQ(split_pathspec_file("", false), Items());
  EXPECT_EQ(split_pathspec_file("a\r\n\"b\\tc\\303\\244\"\r\n\"x\" y\n\n:!z", false),
            Items({"a", "b\tc\303\244", "x", "", ":!z"}));
  EXPECT_EQ(split_pathspec_file("a\r\r\nb\0c\n  \"d\"\n"sv, false), Items({"a\r", "b", "  \"d\""}));
}

TEST(PathspecFile, EndsItemsWithNulWhenAsked) {
  EXPECT_EQ(split_pathspec_file("\"a\"\0b\r\0\0\nc"sv, true), Items({"\"a\"", "b\r", "", "\nc"}));
}

TEST(PathspecFile, RefusesALineThatIsBadlyQuoted) {
  EXPECT_EQ(test::error_message([] { split_pathspec_file("a\n\"bad\n", false); }, ErrorCode::usage),
            "line is badly quoted: \"bad");
}

}  // namespace
}  // namespace pfetch::command
