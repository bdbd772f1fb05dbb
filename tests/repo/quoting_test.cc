#include "repo/quoting.h"

#include <gtest/gtest.h>

namespace pfetch::repo {

TEST(CQuoted, UnderstandsEscapesAndLeavesTheRest) {
  std::string_view text = R"("a\tb\"c\\\303\244":rest)";
  EXPECT_EQ(take_c_quoted(text), "a\tb\"c\\\xc3\xa4");
  EXPECT_EQ(text, ":rest");
}

TEST(CQuoted, RefusesWhatIsMalformedAndTakesNothing) {
  for (const std::string_view bad :
       {"", "plain", "\"open", R"("a\q")", R"("a\40")", R"("a\777")", R"("a\400")", R"("\30)", R"("a\)"}) {
    std::string_view text = bad;
    EXPECT_EQ(take_c_quoted(text), std::nullopt) << bad;
    EXPECT_EQ(text, bad);
  }
}

TEST(ShellQuoted, UnderstandsEscapedQuotesAndBangs) {
  std::string_view text = R"('it'\''s'\!' it' next)";
  EXPECT_EQ(take_shell_quoted(text), "it's! it");
  EXPECT_EQ(text, " next");
}

TEST(ShellQuoted, RefusesAWordThatDoesNotEnd) {
  std::string_view text = "'open";
  EXPECT_EQ(take_shell_quoted(text), std::nullopt);
}

}  // namespace pfetch::repo
