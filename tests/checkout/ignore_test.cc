#include "checkout/ignore.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/dice.h"
#include "tests/support/git_oracle.h"
#include "tests/support/seeds.h"

namespace pfetch::checkout {
namespace {

using Texts = std::vector<std::string>;
using Verdict = IgnoreFile::Verdict;

Verdict judged(const std::string& text, std::string_view path, bool is_directory = false, bool casefold = false) {
  return IgnoreFile(text, casefold).judge(path, is_directory);
}

TEST(IgnoreFile, ReadsItsLinesAsGitDoes) {
  EXPECT_EQ(judged("\xef\xbb\xbf"
                   "bom\n",
                   "bom"),
            Verdict::ignored);
  EXPECT_EQ(judged("a  \n", "a"), Verdict::ignored);
  EXPECT_EQ(judged("a\\  \n", "a "), Verdict::ignored);
  EXPECT_EQ(judged("a\\\\ ", "a\\"), Verdict::ignored);
  EXPECT_EQ(judged("a\t", "a"), Verdict::silent);
  EXPECT_EQ(judged("a \r\n", "a"), Verdict::ignored);
  EXPECT_EQ(judged("#a\n", "#a"), Verdict::silent);
  EXPECT_EQ(judged("\\#a\n", "#a"), Verdict::ignored);
  EXPECT_EQ(judged("a\n!a\n", "a"), Verdict::taken_back);
  EXPECT_EQ(judged("\\!a\n", "!a"), Verdict::ignored);
  EXPECT_EQ(judged("a/\n", "a"), Verdict::silent);
  EXPECT_EQ(judged("a/\n", "x/a", true), Verdict::ignored);
  EXPECT_EQ(judged("/a\n", "x/a"), Verdict::silent);
  EXPECT_EQ(judged("b/a\n", "x/b/a"), Verdict::silent);
  EXPECT_EQ(judged("trailing\\\n", "trailing\\"), Verdict::silent);
  EXPECT_EQ(judged(std::string("a\0b\n", 4), "a"), Verdict::ignored);
  EXPECT_EQ(judged("A*.c\n", "ab.C"), Verdict::silent);
  EXPECT_EQ(judged("A*.c\n", "ab.C", false, true), Verdict::ignored);
  EXPECT_TRUE(IgnoreFile("\n# only\n/\n!\n   \n", false).empty());
}

TEST(IgnoreRules, TheDeepestFileIsTheStrongestButBelowAnIgnoredDirectoryNoneCounts) {
  const test::GitOracle git;
  git.write_outside("user", "*.u\n*.x\n");
  git.write_outside("info", "!*.x\n*.i\n");
  git.write(".gitignore", "*.o\nout/\n!a.i\n");
  git.write("d/.gitignore", "!keep.o\n");
  git.write("out/.gitignore", "!*\n");
  IgnoreRules rules(git.worktree(), {{git.home() + "/user", git.home() + "/absent", git.home() + "/info"}, false});
  EXPECT_TRUE(rules.is_ignored("a.u", false));
  EXPECT_FALSE(rules.is_ignored("a.x", false));
  EXPECT_FALSE(rules.is_ignored("a.i", false));
  EXPECT_TRUE(rules.is_ignored("d/b.i", false));
  EXPECT_TRUE(rules.is_ignored("keep.o", false));
  EXPECT_FALSE(rules.is_ignored("d/keep.o", false));
  EXPECT_FALSE(rules.is_ignored("d/not/there/keep.o", false));
  EXPECT_TRUE(rules.is_ignored("out/keep", false));
  EXPECT_TRUE(rules.is_ignored("d/out/deep/keep", false));
}

TEST(IgnoreRules, FollowNoSymbolicLink) {
  const test::GitOracle git;
  git.write_outside("rules", "secret\n");
  git.write("d/file", "");
  git.write("real/.gitignore", "below\n");
  ASSERT_EQ(::symlink("../../rules", (git.worktree() + "/d/.gitignore").c_str()), 0);
  ASSERT_EQ(::symlink("real", (git.worktree() + "/link").c_str()), 0);
  IgnoreRules rules(git.worktree(), {});
  EXPECT_FALSE(rules.is_ignored("d/secret", false));
  EXPECT_FALSE(rules.is_ignored("link/below", false));
  EXPECT_TRUE(rules.is_ignored("real/below", false));
}

class Dice : public test::Dice {
 public:
  using test::Dice::Dice;
  std::string pick(const Texts& list) { return test::Dice::pick(list); }

  std::string line() {
    static const Texts parts = {"a",    "b",  "ab",  "a.o",  "B",    "*", "**",  "*.o", "?", "a*",  "[ab]", "*b",
                                "[!a]", "c ", "\\a", "**/a", "a/**", "",  "\\ ", "d",   "e", "a**", "#",    "!x"};
    std::string line = one_in(4) ? "!" : "";
    if (one_in(4)) line += "/";
    line += pick(parts);
    while (one_in(3)) line += "/" + pick(parts);
    if (one_in(4)) line += "/";
    line += pick({"", "", "", "", " ", "\\ ", "\r", " \r", "\t", "\\"});
    return line + "\n";
  }
  std::string file() {
    std::string text = one_in(6) ? "\xef\xbb\xbf" : "";
    for (int lines = 1 + static_cast<int>(random_() % 4); lines > 0; --lines) text += line();
    if (one_in(4)) text.pop_back();
    return text;
  }
};

const Texts directories = {"", "a/", "a/b/", "d/", "d/e/", "d/a/", "B/"};
const Texts leaves = {"a", "b", "ab", "a.o", "B.o", "c", "c ", " ", "A", "e", "#", "!x", "x y"};

TEST(IgnoreBesideGit, RandomRulesIgnoreTheSamePaths) {
  const unsigned seeds = test::seed_count(60);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const test::GitOracle git;
    Dice dice(seed);
    const bool casefold = dice.one_in(3);
    git.must({"config", "core.ignoreCase", casefold ? "true" : "false"});
    git.must({"config", "core.excludesFile", git.home() + "/user"});
    git.write_outside("user", dice.one_in(2) ? dice.file() : "");
    git.write(".git/info/exclude", dice.one_in(2) ? dice.file() : "");
    Texts paths;
    for (const std::string& directory : directories) {
      git.write(directory + "file", "");
      if (dice.one_in(2)) git.write(directory + ".gitignore", dice.file());
      for (const std::string& leaf : leaves) paths.push_back(directory + leaf);
    }
    for (const std::string above : {"n/", "a/n/", "n/b/"}) {  // not there
      for (const std::string& leaf : leaves) paths.push_back(above + leaf);
    }
    IgnoreRules rules(git.worktree(), {{git.home() + "/user", git.worktree() + "/.git/info/exclude"}, casefold});
    std::string asked;
    std::string ours;
    for (const std::string& path : paths) {
      asked += path + '\0';
      if (rules.is_ignored(path, base::is_directory(git.worktree() + "/" + path))) ours += path + '\0';
    }
    ASSERT_EQ(ours, git.run({"check-ignore", "--no-index", "-z", "--stdin"}, asked).out) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pfetch::checkout
