#include "object/wildmatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/scratch.h"

namespace pfetch::object {
namespace {

constexpr WildRules path_rules{.path_name = true};
constexpr WildRules pathspec_rules{.path_name = true, .prefix_apart = true};

const std::vector<std::string> awkward_paths = {"foo",
                                                "foobar",
                                                "foo/bar",
                                                "foo/a/bar",
                                                "foo/a/b/bar",
                                                "bar",
                                                "a/b/bar",
                                                "Foo/BAR",
                                                "a",
                                                "A",
                                                "b",
                                                "-",
                                                "]",
                                                "[",
                                                "a-b",
                                                "a]b",
                                                "a[b",
                                                "a\\b",
                                                "\\",
                                                "*",
                                                "?",
                                                "a*b",
                                                "x/y/z",
                                                "x/y.c",
                                                "x.c",
                                                "y/x.c",
                                                "deep/er/x.c",
                                                "ab",
                                                "aab",
                                                "abab/abab",
                                                "1",
                                                "1a",
                                                "a1",
                                                "a b",
                                                "a.b",
                                                "foo!",
                                                "!",
                                                "^",
                                                "a^",
                                                "foo/",
                                                "x/foo",
                                                "fooo/bar",
                                                "aaa/bbb/ccc",
                                                "[:alpha:]",
                                                "a:",
                                                ":",
                                                "XXX/YYY",
                                                "XXX/yyy",
                                                "-adobe-courier-bold-o-normal--12-120-75-75-m-70-iso8859-1"};

const std::vector<std::string> awkward_patterns = {"foo",
                                                   "foo*",
                                                   "*foo",
                                                   "f?o",
                                                   "?",
                                                   "*",
                                                   "**",
                                                   "**/bar",
                                                   "foo/**",
                                                   "foo/**/bar",
                                                   "**/foo",
                                                   "foo**bar",
                                                   "foo/**bar",
                                                   "**/*",
                                                   "*/*",
                                                   "*/**",
                                                   "**/b/**",
                                                   "x/*.c",
                                                   "x/**.c",
                                                   "**.c",
                                                   "**/**/x.c",
                                                   "*/*/*.c",
                                                   "***",
                                                   "***/bar",
                                                   "foo/***/bar",
                                                   "[a-c]",
                                                   "[!a]",
                                                   "[^a]",
                                                   "[]]",
                                                   "[]-]",
                                                   "[a-]",
                                                   "[-a]",
                                                   "[[]",
                                                   "[a",
                                                   "[",
                                                   "[!]",
                                                   "[]",
                                                   "[\\]]",
                                                   "[\\-a]",
                                                   "[a\\-c]",
                                                   "[A-Z]",
                                                   "[a-z]oo",
                                                   "[[:alpha:]]",
                                                   "[[:digit:]]",
                                                   "[[:upper:]]",
                                                   "[[:lower:]]",
                                                   "[[:punct:]]",
                                                   "[[:space:]]b",
                                                   "a[[:space:]]b",
                                                   "[[:nosuch:]]",
                                                   "[[:alpha:][:digit:]]*",
                                                   "[[:alpha:]-z]",
                                                   "[[:al]",
                                                   "[:alpha:]",
                                                   "[[:]",
                                                   "[a:]",
                                                   "[[:alnum:]_-]*",
                                                   "[[:xdigit:]]",
                                                   "[[:graph:]]",
                                                   "[[:print:]]",
                                                   "[[:cntrl:]]",
                                                   "[[:blank:]]",
                                                   "a[!x]b",
                                                   "a[]]b",
                                                   "a[[]b",
                                                   "a\\*b",
                                                   "\\a",
                                                   "\\A",
                                                   "\\",
                                                   "\\\\",
                                                   "a\\\\b",
                                                   "\\?",
                                                   "\\*",
                                                   "*\\",
                                                   "foo\\/bar",
                                                   "**\\/bar",
                                                   "foo/**\\/bar",
                                                   "FOO",
                                                   "FOO/*",
                                                   "[F]OO",
                                                   "[A-F]oo",
                                                   "*/BAR",
                                                   "*b",
                                                   "*ab",
                                                   "a*b*a*b",
                                                   "*/abab",
                                                   "x/?/z",
                                                   "x?y?z",
                                                   "x[/]y",
                                                   "x[!a]y*",
                                                   "*a*/*b*/*c*",
                                                   "a*/b*",
                                                   "foo/*/bar",
                                                   "XXX/*",
                                                   "-*-*-*-*-*-*-12-*-*-*-m-*-*-*",
                                                   "-*-*-*-*-*-*-13-*-*-*-m-*-*-*",
                                                   "[a-c-e]",
                                                   "[c-a]",
                                                   "[%--]",
                                                   "[--A]",
                                                   "[\\",
                                                   "[[:alpha:\\]",
                                                   "a**",
                                                   "a/**/",
                                                   "**/a/*",
                                                   "*/",
                                                   "foo**/bar",
                                                   "f?o**/bar",
                                                   "[!]a-]",
                                                   "[^]a]"};

// The pathspec machinery of `git ls-files` is the oracle: plain, :(glob) and :(icase) pathspecs go through wildmatch.
// What git lists in the repository "w" for each pattern.
std::vector<std::set<std::string>> listed_by_git(const test::Scratch& scratch, const std::string& magic,
                                                 const std::vector<std::string>& patterns) {
  std::string lines;
  for (const std::string& pattern : patterns) lines += magic + pattern + "\n";
  scratch.write("patterns", lines);
  const std::string listed = scratch.bytes_of(
      "cd w; while IFS= read -r pattern; do git ls-files -z -- \"$pattern\"; printf '\\0'; done <../patterns");
  std::vector<std::set<std::string>> answers(1);
  for (std::size_t at = 0; at < listed.size();) {
    const std::size_t end = listed.find('\0', at);
    if (end == at) {
      answers.emplace_back();
    } else {
      answers.back().insert(listed.substr(at, end - at));
    }
    at = end + 1;
  }
  return answers;
}

TEST(Wildmatch, AgreesWithGitOnAwkwardPatterns) {
  const test::Scratch scratch;
  std::string index;
  std::set<std::string> paths;
  for (const std::string& path : awkward_paths) {
    if (path.back() == '/') continue;
    // A file beside a directory of the same name cannot be in an index.
    const bool clash = std::any_of(awkward_paths.begin(), awkward_paths.end(), [&](const std::string& other) {
      return other.size() > path.size() + 1 && other.compare(0, path.size() + 1, path + "/") == 0;
    });
    if (clash) continue;
    paths.insert(path);
    index += "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\t" + path;
    index.push_back('\0');
  }
  scratch.write("index", index);
  scratch.out_of("git init -q w; cd w; git update-index -z --index-info < ../index");
  for (const auto& [magic, rules] : std::vector<std::pair<std::string, WildRules>>{
           {":(top)", {}},
           {":(glob)", pathspec_rules},
           {":(icase)", {.fold_case = true}},
           {":(glob,icase)", {.path_name = true, .fold_case = true, .prefix_apart = true}}}) {
    // A pathspec without wildcards also names directories: not what is asked here. A final slash is stripped.
    std::vector<std::string> patterns;
    std::copy_if(
        awkward_patterns.begin(), awkward_patterns.end(), std::back_inserter(patterns),
        [](const auto& pattern) { return pattern.find_first_of("*?[") != std::string::npos && pattern.back() != '/'; });
    const auto answers = listed_by_git(scratch, magic, patterns);
    ASSERT_EQ(answers.size(), patterns.size() + 1);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const std::string& pattern = patterns[i];
      const std::set<std::string>& theirs = answers[i];
      for (const std::string& path : paths) {
        // A pathspec also matches what equals it literally, or lies below such a directory.
        if (path == pattern || path.compare(0, pattern.size() + 1, pattern + "/") == 0) continue;
        EXPECT_EQ(wildmatch(pattern, path, rules), theirs.count(path) == 1) << magic << pattern << " on " << path;
      }
    }
  }
}

struct Case {
  const char* pattern;
  const char* text;
  bool as_path;  // as a path
  bool plain;    // with no rules
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
    {"?", "", false, false},
    {"?", "/", false, true},
    {"\\", "", false, false},
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
    {"**/bar", "foobar", false, false},
    {"**/**/bar", "x/bar", true, false},
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
    EXPECT_EQ(wildmatch(c.pattern, c.text, path_rules), c.as_path) << c.pattern << " as path on " << c.text;
    EXPECT_EQ(wildmatch(c.pattern, c.text), c.plain) << c.pattern << " on " << c.text;
  }
}

TEST(Wildmatch, FoldsCaseOnlyWhenAsked) {
  EXPECT_FALSE(wildmatch("*.C", "a.c"));
  EXPECT_TRUE(wildmatch("*.C", "a.c", {.fold_case = true}));
  EXPECT_TRUE(wildmatch("[B-Z]x", "cX", {.fold_case = true}));
  EXPECT_TRUE(wildmatch("[[:upper:]]", "a", {.fold_case = true}));
  EXPECT_TRUE(wildmatch("[a-z]", "Q", {.fold_case = true}));
  EXPECT_FALSE(wildmatch("[a-z]", "Q"));
  EXPECT_TRUE(wildmatch("/A[!x]?", "/aBc", {.path_name = true, .fold_case = true}));
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
    ASSERT_EQ(wildmatch(pattern, text, path_rules), wanted) << pattern << " on " << text;
  }
  EXPECT_GT(matched, 2000);
}

TEST(Wildmatch, APrefixComparedApartOpensADoubleStar) {
  EXPECT_FALSE(wildmatch("a/foo**/bar", "a/foox/y/bar", path_rules));
  EXPECT_TRUE(wildmatch("a/foo**/bar", "a/foox/y/bar", pathspec_rules));
  EXPECT_FALSE(wildmatch("a/f?o**/bar", "a/foox/y/bar", pathspec_rules));
}

// A matcher that tries every way would not come back from this within the age of the universe.
TEST(Wildmatch, HostilePatternsCostNoMoreThanTheirLength) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(wildmatch(pattern + "b", std::string(3000, 'a')));
  std::string directories;
  for (int i = 0; i < 60; ++i) directories += "**/*a";
  EXPECT_FALSE(wildmatch(directories + "/b", std::string(3000, 'a'), path_rules));
  EXPECT_TRUE(wildmatch(std::string(500, '?'), std::string(500, 'x')));
}

TEST(Wildmatch, KnowsTheBytesThatAreSpecial) {
  EXPECT_FALSE(has_wildcard("refs/heads-]^!"));
  for (const char* text : {"a*", "a?", "[a", "a\\*"}) EXPECT_TRUE(has_wildcard(text)) << text;
}

}  // namespace
}  // namespace pfetch::object
