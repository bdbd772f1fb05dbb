#include "object/wildmatch.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace pfetch::object {
namespace {

struct Case {
  const char* pattern;
  const char* text;
  bool as_path;  // with wildmatch_pathname
  bool plain;    // with no flag
};

// What gitignore(5) and fnmatch(3) promise, and what git 2.39.5 answers for them.
const Case cases[] = {
    {"foo", "foo", true, true},
    {"foo", "bar", false, false},
    {"", "", true, true},
    {"", "a", false, false},
    {"a", "", false, false},
    {"*", "", true, true},
    {"*", "foo/bar", false, true},
    {"*.c", "main.c", true, true},
    {"*.c", "src/main.c", false, true},
    {"f*o*r", "foobar", true, true},
    {"*ob*a*r*", "foobar", true, true},
    {"*ab", "aaaaaaabababab", true, true},
    {"foo\\*", "foo*", true, true},
    {"foo\\*bar", "foobar", false, false},
    {"f\\oo", "foo", true, true},
    {"foo\\", "foo\\", false, false},
    {"foo\\\\", "foo\\", true, true},
    {"?", "/", false, true},
    {"a?c", "abc", true, true},
    {"*[al]?", "ball", true, true},
    {"[ten]", "ten", false, false},
    {"t[a-g]n", "ten", true, true},
    {"t[!a-g]n", "ten", false, false},
    {"t[!a-g]n", "ton", true, true},
    {"t[^a-g]n", "ton", true, true},
    {"a[]]b", "a]b", true, true},
    {"a[]-]b", "a-b", true, true},
    {"a[]a-]b", "aab", true, true},
    {"a[]-a]b", "a^b", true, true},
    {"]", "]", true, true},
    {"[a", "a", false, false},
    {"[", "[", false, false},
    {"[!", "ab", false, false},
    {"a[!]b", "ab", false, false},
    {"[\\]]", "]", true, true},
    {"[\\\\-^]", "]", true, true},
    {"[\\1-\\3]", "2", true, true},
    {"[--0]", "/", false, true},
    {"[*-a]", "/", false, true},
    {"[!a]", "/", false, true},
    {"[[:alpha:]][[:digit:]][[:upper:]]", "a1B", true, true},
    {"[[:digit:][:upper:][:spaci:]]", "1", false, false},
    {"[[:xdigit:]]", "D", true, true},
    {"[[:punct:]]", "_", true, true},
    {"[^[:alnum:][:space:]]", ".", true, true},
    {"[a-c[:digit:]x-z]", "5", true, true},
    {"[[:d]", ":", true, true},
    {"[[:digit:]-a]", "-", true, true},
    {"**/foo", "foo", true, false},
    {"**/foo", "/foo", true, true},
    {"**/foo", "a/b/foo", true, true},
    {"**/foo", "a/b/fooo", false, false},
    {"**foo", "a/foo", false, true},
    {"foo/**", "foo/a/b", true, true},
    {"foo/**", "foo", false, false},
    {"foo/**/bar", "foo/bar", true, false},
    {"foo/**/bar", "foo/a/b/bar", true, true},
    {"foo/**/**/bar", "foo/bar", true, false},
    {"foo/***/bar", "foo/a/b/bar", true, true},
    {"foo/**bar", "foo/a/bar", false, true},
    {"foo**/bar", "foo/a/bar", false, true},
    {"foo**/bar", "fooxx/bar", true, true},
    {"**/a*/b*c", "x/a1/a2/b/bcc", false, true},
    {"**/a*/b*c", "x/a1/b1/a2/bcc", true, true},
    {"**/*/*", "a/b", true, false},
    {"**/*/*", "a", false, false},
    {"a/*/c", "a/b/c", true, true},
    {"a/*/c", "a/b/b/c", false, true},
    {"**\\/b", "a/x/b", true, true},
    {"**\\/b", "b", false, false},
    {"**", "a/b", true, true},
    {"/**/x", "/x", true, false},
    {"-*-*-*-*-*-*-12-*-*-*-m-*-*-*", "-adobe-courier-bold-o-normal--12-120-75-75-m-70-iso8859-1", true, true},
    {"**/*a*b*g*n*t", "abcd/abcdefg/abcdefghijk/abcdefghijklmnop.txt", true, true},
    {"*/*/*/*/*/*/12/*/*/*/m/*/*/*", "/adobe/courier/bold/o/normal//12/120/75/75/X/70/iso8859/1", false, false},
};

TEST(Wildmatch, AnswersTheTable) {
  for (const Case& c : cases) {
    EXPECT_EQ(wildmatch(c.pattern, c.text, wildmatch_pathname), c.as_path) << c.pattern << " as path on " << c.text;
    EXPECT_EQ(wildmatch(c.pattern, c.text, 0), c.plain) << c.pattern << " on " << c.text;
  }
}

TEST(Wildmatch, FoldsCaseOnlyWhenAsked) {
  EXPECT_FALSE(wildmatch("*.C", "a.c", 0));
  EXPECT_TRUE(wildmatch("*.C", "a.c", wildmatch_casefold));
  EXPECT_TRUE(wildmatch("[B-Z]x", "cX", wildmatch_casefold));
  EXPECT_TRUE(wildmatch("[[:upper:]]", "a", wildmatch_casefold));
  EXPECT_TRUE(wildmatch("[a-z]", "Q", wildmatch_casefold));
  EXPECT_FALSE(wildmatch("[a-z]", "Q", 0));
}

// A slow definition of the same language, to compare with: every choice is tried.
bool slow(std::string_view p, std::string_view t, std::string_view whole) {
  if (p.empty()) return t.empty();
  if (p[0] == '*') {
    std::size_t run = 0;
    while (run < p.size() && p[run] == '*') ++run;
    const std::string_view rest = p.substr(run);
    const std::size_t at = static_cast<std::size_t>(p.data() - whole.data());
    const bool deep = run >= 2 && (at == 0 || whole[at - 1] == '/') && (rest.empty() || rest[0] == '/');
    if (deep && !rest.empty() && slow(rest.substr(1), t, whole)) return true;
    for (std::size_t k = 0; k <= t.size(); ++k) {
      if (slow(rest, t.substr(k), whole)) return true;
      if (!deep && k < t.size() && t[k] == '/') break;
    }
    return false;
  }
  if (t.empty()) return false;
  if (p[0] == '?' ? t[0] == '/' : p[0] != t[0]) return false;
  return slow(p.substr(1), t.substr(1), whole);
}

TEST(Wildmatch, AgreesWithTryingEveryChoice) {
  std::mt19937 random(7);
  const std::string_view pattern_letters = "ab/**?";
  const std::string_view text_letters = "aab//";
  int matched = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string pattern, text;
    for (unsigned n = random() % 9; n > 0; --n) pattern += pattern_letters[random() % pattern_letters.size()];
    for (unsigned n = random() % 9; n > 0; --n) text += text_letters[random() % text_letters.size()];
    const bool wanted = slow(pattern, text, pattern);
    matched += wanted;
    ASSERT_EQ(wildmatch(pattern, text, wildmatch_pathname), wanted) << pattern << " on " << text;
  }
  EXPECT_GT(matched, 2000);
}

// With a match that tries every choice this would outlast the universe; here it is a blink.
TEST(Wildmatch, HostilePatternsEnd) {
  std::string pattern, deep_pattern, deep_text;
  for (int i = 0; i < 500; ++i) pattern += "*a", deep_pattern += "**/*a", deep_text += "aaaa/";
  EXPECT_FALSE(wildmatch(pattern + "b", std::string(4000, 'a'), wildmatch_pathname));
  EXPECT_FALSE(wildmatch(pattern + "b", std::string(4000, 'a'), 0));
  EXPECT_FALSE(wildmatch(deep_pattern + "/b", deep_text + "c", wildmatch_pathname));
  std::string segments;
  for (int i = 0; i < 500; ++i) segments += "**/*a*/";
  EXPECT_FALSE(wildmatch(segments + "b", deep_text + "c", wildmatch_pathname));
}

TEST(Wildmatch, CountsTheLiteralPrefix) {
  EXPECT_EQ(literal_prefix_size("abc"), 3u);
  EXPECT_EQ(literal_prefix_size("ab*c"), 2u);
  EXPECT_EQ(literal_prefix_size("\\abc"), 0u);
}

}  // namespace
}  // namespace pfetch::object
