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

TEST(ShownPath, QuotesWhatGitQuotes) {
  EXPECT_EQ(shown_path("a b/c", true), "a b/c");
  EXPECT_EQ(shown_path("a\"b\\c", true), R"("a\"b\\c")");
  EXPECT_EQ(shown_path("a\n\t\x01\x7f", true), R"("a\n\t\001\177")");
  EXPECT_EQ(shown_path("\xc3\xbc", true), R"("\303\274")");
  EXPECT_EQ(shown_path("\xc3\xbc", false), "\xc3\xbc");
  EXPECT_EQ(shown_path("\xc3\xbc\"", false), "\"\xc3\xbc\\\"\"");
}

TEST(ShownPath, IsReadBack) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const bool high : {false, true}) {
    const std::string shown = shown_path(all, high);
    std::string_view rest = shown;
    EXPECT_EQ(take_c_quoted(rest), all);
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
