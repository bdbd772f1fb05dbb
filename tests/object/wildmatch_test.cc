#include "object/wildmatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/repo/ref_scratch.h"

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
std::set<std::string> listed_by_git(const tests::RefScratch& scratch, const std::string& magic,
                                    const std::string& pattern) {
  std::istringstream lines(
      scratch.run("cd w; git ls-files -z -- " + base::shell_quote(magic + pattern) + " | tr '\\0' '\\n'").out);
  std::set<std::string> paths;
  for (std::string line; std::getline(lines, line);) paths.insert(line);
  return paths;
}

TEST(Wildmatch, AgreesWithGitOnAwkwardPatterns) {
  const tests::RefScratch scratch;
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
    for (const std::string& pattern : awkward_patterns) {
      // A pathspec without wildcards also names directories: not what is asked here. A final slash is stripped.
      if (pattern.find_first_of("*?[") == std::string::npos || pattern.back() == '/') continue;
      const auto theirs = listed_by_git(scratch, magic, pattern);
      for (const std::string& path : paths) {
        // A pathspec also matches what equals it literally, or lies below such a directory.
        if (path == pattern || path.compare(0, pattern.size() + 1, pattern + "/") == 0) continue;
        EXPECT_EQ(wildmatch(pattern, path, rules), theirs.count(path) == 1) << magic << pattern << " on " << path;
      }
    }
  }
}

TEST(Wildmatch, DoubleStarNeedsSlashesAroundIt) {
  EXPECT_TRUE(wildmatch("foo/**/bar", "foo/bar", path_rules));
  EXPECT_TRUE(wildmatch("foo/**/bar", "foo/a/b/bar", path_rules));
  EXPECT_FALSE(wildmatch("foo**/bar", "foo/a/bar", path_rules));
  EXPECT_TRUE(wildmatch("**/foo", "foo", path_rules));
  EXPECT_TRUE(wildmatch("abc/**", "abc/x/y", path_rules));
  EXPECT_FALSE(wildmatch("abc/**", "abc", path_rules));
  EXPECT_FALSE(wildmatch("*", "a/b", path_rules));
  EXPECT_TRUE(wildmatch("*", "a/b"));
  EXPECT_FALSE(wildmatch("**/bar", "foobar", path_rules));
  EXPECT_TRUE(wildmatch("**/**/bar", "x/bar", path_rules));
}

TEST(Wildmatch, APrefixComparedApartOpensADoubleStar) {
  EXPECT_FALSE(wildmatch("a/foo**/bar", "a/foox/y/bar", path_rules));
  EXPECT_TRUE(wildmatch("a/foo**/bar", "a/foox/y/bar", pathspec_rules));
  EXPECT_FALSE(wildmatch("a/f?o**/bar", "a/foox/y/bar", pathspec_rules));
}

TEST(Wildmatch, EmptyPatternMatchesOnlyNothing) {
  EXPECT_TRUE(wildmatch("", ""));
  EXPECT_FALSE(wildmatch("", "a"));
  EXPECT_TRUE(wildmatch("*", ""));
  EXPECT_FALSE(wildmatch("?", ""));
  EXPECT_FALSE(wildmatch("\\", ""));
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

TEST(Wildmatch, KnowsItsLiteralPrefix) {
  EXPECT_EQ(WildPattern("refs/heads/*", path_rules).literal_prefix(), "refs/heads/");
  EXPECT_TRUE(WildPattern("refs/heads", path_rules).is_literal());
  EXPECT_FALSE(WildPattern("a\\*", path_rules).is_literal());
  EXPECT_TRUE(WildPattern("a\\*", path_rules).matches("a*"));
}

}  // namespace
}  // namespace pfetch::object
