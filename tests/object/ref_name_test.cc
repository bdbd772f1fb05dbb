#include "object/ref_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/scratch.h"

namespace pfetch::object {
namespace {

// git check-ref-format is the oracle for a table of awkward names; NUL and newline cannot be arguments and come below.
TEST(RefName, AgreesWithGitCheckRefFormat) {
  const std::vector<std::string> names = {"refs/heads/main",
                                          "HEAD",
                                          "main",
                                          "refs/heads/a/b",
                                          "refs/heads/.a",
                                          "refs/heads/a.",
                                          "refs/heads/a..b",
                                          "refs/heads/a.lock",
                                          "refs/heads/a.lock/b",
                                          "refs/heads/a.lockx",
                                          "/refs/heads/a",
                                          "refs/heads/a/",
                                          "refs//heads/a",
                                          "refs/heads/a b",
                                          "refs/heads/a~b",
                                          "refs/heads/a^b",
                                          "refs/heads/a:b",
                                          "refs/heads/a?b",
                                          "refs/heads/a*b",
                                          "refs/heads/*",
                                          "refs/heads/*/*",
                                          "refs/*/x",
                                          "*",
                                          "refs/heads/a[b",
                                          "refs/heads/a]b",
                                          "refs/heads/a\\b",
                                          "@",
                                          "refs/heads/@",
                                          "@/a",
                                          "refs/heads/a@{b",
                                          "refs/heads/a@b",
                                          "refs/heads/{",
                                          "a@{",
                                          "refs/heads/a\x7f",
                                          "refs/heads/a\x01",
                                          "refs/heads/\xc3\xa9",
                                          "refs/heads/-a",
                                          "a/.",
                                          "a/..",
                                          ".lock",
                                          "a/.lock",
                                          "refs/heads/.lock",
                                          "a.lock",
                                          "refs/heads/a.b",
                                          "a/b.",
                                          "a/b/c.lock"};
  const test::Scratch scratch;
  for (const bool one_level : {false, true}) {
    for (const bool pattern : {false, true}) {
      std::string script = "true\n";
      std::string ours;
      for (const std::string& name : names) {
        script += std::string("git check-ref-format") + (one_level ? " --allow-onelevel" : "") +
                  (pattern ? " --refspec-pattern " : " ") + base::shell_quote(name) + " && echo 1 || echo 0\n";
        ours += is_valid_ref_name(name, {.one_level = one_level, .pattern = pattern}) ? "1\n" : "0\n";
      }
      const std::string theirs = scratch.run(script).out;
      ASSERT_EQ(theirs.size(), ours.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(theirs[2 * i], ours[2 * i]) << names[i] << " one_level " << one_level << " pattern " << pattern;
      }
    }
  }
}

TEST(RefName, RefusesBytesThatNoArgumentCanCarry) {
  EXPECT_FALSE(is_valid_ref_name(""));
  EXPECT_FALSE(is_valid_ref_name("refs/heads/a\nb"));
  EXPECT_FALSE(is_valid_ref_name(std::string_view("refs/heads/a\0b", 14)));
  EXPECT_FALSE(is_valid_ref_name("refs/heads/" + std::string(ref_name_size_max, 'a')));
  EXPECT_TRUE(is_valid_ref_name("refs/heads/" + std::string(200, 'a')));
}

TEST(RefName, SafeNamesStayInsideRefs) {
  EXPECT_TRUE(is_safe_ref_name("refs/heads/a b"));
  EXPECT_TRUE(is_safe_ref_name("refs/heads/../x"));
  EXPECT_TRUE(is_safe_ref_name("FETCH_HEAD"));
  EXPECT_FALSE(is_safe_ref_name("refs/../config"));
  EXPECT_FALSE(is_safe_ref_name("refs/heads/../../config"));
  EXPECT_FALSE(is_safe_ref_name("refs/../refs/heads/x"));
  EXPECT_FALSE(is_safe_ref_name("config"));
  EXPECT_FALSE(is_safe_ref_name("/refs/heads/a"));
  EXPECT_FALSE(is_safe_ref_name("refs//a"));
  EXPECT_FALSE(is_safe_ref_name("refs/.."));
  EXPECT_FALSE(is_safe_ref_name("refs/"));
  EXPECT_FALSE(is_safe_ref_name(std::string_view("refs/a\0b", 8)));
}

TEST(RefName, TellsWhatBelongsToOneWorktree) {
  for (const char* name : {"HEAD", "FETCH_HEAD", "refs/bisect/bad", "refs/worktree/x", "refs/rewritten/x"}) {
    EXPECT_TRUE(is_per_worktree_ref(name)) << name;
  }
  for (const char* name : {"refs/heads/HEAD", "refs/tags/v1", "refs/bisected/x", "refs/stash"}) {
    EXPECT_FALSE(is_per_worktree_ref(name)) << name;
  }
}

TEST(RefName, LooksShortNamesUpTagsFirst) {
  EXPECT_EQ(ref_lookup_rank("v1", "refs/tags/v1"), 2u);
  EXPECT_EQ(ref_lookup_rank("v1", "refs/heads/v1"), 3u);
  EXPECT_EQ(ref_lookup_rank("origin", "refs/remotes/origin/HEAD"), 5u);
  EXPECT_EQ(ref_lookup_rank("v1", "refs/tags/xv1"), ref_lookup_rules);
  EXPECT_EQ(short_ref_name("refs/heads/a/b"), "a/b");
  EXPECT_EQ(short_ref_name("refs/notes/x"), "refs/notes/x");
}

}  // namespace
}  // namespace pfetch::object
