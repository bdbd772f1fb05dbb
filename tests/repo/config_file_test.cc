#include "repo/config_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "base/error.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

std::string edited(const std::string& path, const std::function<void(ConfigFileEdit&)>& change) {
  ConfigFileEdit edit(path);
  change(edit);
  edit.commit();
  return base::read_file(path);
}

}  // namespace

TEST(ConfigFileEdit, WritesWhatGitWrites) {
  test::Scratch scratch;
  const std::string start = "# top\n[core]\n\tbare = false\n[remote \"o\"]\n\turl = u\n";
  scratch.write("ours", start);
  scratch.write("theirs", start);
  const std::string ours = edited(scratch / "ours", [](ConfigFileEdit& edit) {
    edit.set("core.bare", "true");
    edit.set("core.fileMode", "false");
    edit.add("remote.o.fetch", "+refs/heads/*:refs/remotes/o/*");
    edit.add("remote.o.fetch", "+refs/tags/*:refs/tags/*");
    edit.set("branch.it \"is\" \\x.remote", "o ; # \"q\" \\ \t\nend ");
    edit.set("Extensions.partialClone", " lead");
  });
  scratch.output(
      "git config -f theirs core.bare true; git config -f theirs core.fileMode false;"
      "git config -f theirs --add remote.o.fetch '+refs/heads/*:refs/remotes/o/*';"
      "git config -f theirs --add remote.o.fetch '+refs/tags/*:refs/tags/*';"
      "git config -f theirs 'branch.it \"is\" \\x.remote' \"$(printf 'o ; # \"q\" \\\\ \\t\\nend ')\";"
      "git config -f theirs Extensions.partialClone ' lead'");
  EXPECT_EQ(ours, base::read_file(scratch / "theirs"));
}

TEST(ConfigFileEdit, ReadsBackThroughGitWhateverTheValue) {
  test::Scratch scratch;
  std::mt19937 random(2);
  const std::string alphabet = "ab \t\n\"\\;#=[]'$`\r\xc3\xa4";
  for (int round = 0; round < 40; ++round) {
    std::string value;
    for (unsigned i = random() % 8; i > 0; --i) value += alphabet[random() % alphabet.size()];
    edited(scratch / "c", [&](ConfigFileEdit& edit) { edit.add("a.S ub.k", value); });
    EXPECT_EQ(scratch.output("git config -f c -z --get-all 'a.S ub.k' | tail -z -n 1"), value + '\0');
  }
}

TEST(ConfigFileEdit, KeepsEverythingElse) {
  test::Scratch scratch;
  const std::string text =
      "; start\n[a] x = 1\n  # inside\n\n[b]   ; note\n[a]\n    y = 2 ; two\n\n# end\n[c \"D\"]z=3";
  scratch.write("c", text);
  EXPECT_EQ(edited(scratch / "c", [](ConfigFileEdit&) {}), text);
  EXPECT_EQ(edited(scratch / "c",
                   [](ConfigFileEdit& edit) {
                     edit.set("a.x", "9");
                     edit.add("a.new", "n");
                     edit.add("b.k", "v");
                     edit.add("c.D.w", std::nullopt);
                   }),
            "; start\n[a] \n\tx = 9\n  # inside\n\n[b]   ; note\n\tk = v\n[a]\n    y = 2 ; two\n\tnew = n\n\n# end\n"
            "[c \"D\"]z=3\n\tw\n");
}

TEST(ConfigFileEdit, RemovesValuesAndSections) {
  test::Scratch scratch;
  scratch.write("c", "[a]\n\tx = 1\n\ty = 2\n\tx = 3\n[b \"S\"]\n\tz = 4\n[c]\n[b \"S\"]\n\tz = 5\n[b \"s\"]\n");
  EXPECT_EQ(edited(scratch / "c",
                   [](ConfigFileEdit& edit) {
                     EXPECT_TRUE(edit.unset("a.X"));
                     EXPECT_FALSE(edit.unset("a.x"));
                     EXPECT_TRUE(edit.remove_section("B.S"));
                     EXPECT_FALSE(edit.remove_section("b.S"));
                   }),
            "[a]\n\ty = 2\n[c]\n[b \"s\"]\n");
}

TEST(ConfigFileEdit, DoesNotGuessWhichOfSeveralValuesToSet) {
  test::Scratch scratch;
  const std::string file = scratch.write("c", "[a]\nx=1\nx=2\n");
  ConfigFileEdit edit(file);
  EXPECT_THROW(edit.set("a.x", "3"), Error);
}

TEST(ConfigFileEdit, ChangesNothingWithoutCommitAndWhileLocked) {
  test::Scratch scratch;
  const std::string file = scratch.write("c", "[a]\nx=1\n");
  {
    ConfigFileEdit edit(file);
    edit.set("a.x", "2");
    EXPECT_THROW(ConfigFileEdit second(file), Error);
  }
  EXPECT_EQ(base::read_file(file), "[a]\nx=1\n");
  EXPECT_FALSE(base::path_exists(file + ".lock"));
}

TEST(ConfigFileEdit, KeepsModeAndSymlink) {
  test::Scratch scratch;
  const std::string file = scratch.write("real", "");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  ASSERT_EQ(::symlink("real", (scratch / "link").c_str()), 0);
  set_config_value(scratch / "link", "a.b", "c");
  struct stat info {};
  ASSERT_EQ(::lstat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  EXPECT_EQ(base::read_file(file), "[a]\n\tb = c\n");
  ASSERT_EQ(::lstat((scratch / "link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

}  // namespace pfetch::repo
