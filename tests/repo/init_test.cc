#include "repo/init.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

using Map = std::map<std::string, std::string>;

Environment plain(const test::Scratch& scratch, Map more = {}) {
  more.emplace("GIT_CONFIG_NOSYSTEM", "1");
  more.emplace("HOME", scratch / "no-home");
  return Environment::from(more);
}

// Every name below a directory with its mode and kind, and the content of every file but hook samples.
std::string everything(const test::Scratch& scratch, const std::string& name) {
  return scratch.output("cd " + name +
                        " && find . -printf '%M %p %l\\n' | LC_ALL=C sort && "
                        "find . -type f ! -name '*.sample' | LC_ALL=C sort | xargs tail -n +1");
}

// Runs git and pfetch with the same meaning in twin directories, and compares.
void expect_same(const InitOptions& options, const std::string& git_arguments, const std::string& setup = "",
                 const std::vector<std::string>& settings = {}) {
  test::Scratch mine;
  test::Scratch gits;
  mine.output(setup);
  gits.output(setup);
  std::string command = "git";
  Environment environment = plain(mine);
  for (const std::string& setting : settings) {
    command += " -c " + base::shell_quote(setting);
    environment.add_override(setting);
  }
  InitOptions here = options;
  here.directory = mine / options.directory;
  if (here.separate_git_dir) here.separate_git_dir = mine / *here.separate_git_dir;
  if (here.template_dir && !here.template_dir->empty()) here.template_dir = mine / *here.template_dir;
  init_repository(here, environment);
  gits.output(command + " init -q " + git_arguments + " " + options.directory);
  std::string expected = everything(gits, ".");
  for (std::size_t at = 0; (at = expected.find(gits.path(), at)) != std::string::npos;) {
    expected.replace(at, gits.path().size(), mine.path());
  }
  EXPECT_EQ(everything(mine, "."), expected) << git_arguments;
}

InitOptions in(const std::string& directory) {
  InitOptions options;
  options.directory = directory;
  return options;
}

}  // namespace

TEST(Init, MakesWhatGitInitMakes) {
  expect_same(in("a/b"), "");
  InitOptions bare = in("x.git");
  bare.bare = true;
  expect_same(bare, "--bare");
  InitOptions separate = in("w");
  separate.separate_git_dir = "deep/er/sep";
  expect_same(separate, "--separate-git-dir=deep/er/sep", "mkdir deep deep/er");
  InitOptions branch = in("w");
  branch.initial_branch = "topic/x";
  expect_same(branch, "-b topic/x");
  expect_same(in("w"), "", "", {"init.defaultBranch=trunk", "core.logAllRefUpdates=always"});
}

TEST(Init, CopiesTemplates) {
  const std::string setup =
      "mkdir -p t/hooks t/.hidden t/sub/deep; echo x >t/hooks/post-checkout; chmod 755 t/hooks/post-checkout;"
      "echo y >t/.dot; ln -s ../nowhere t/sub/link; chmod 600 t/hooks/post-checkout; chmod u+x t/hooks/post-checkout;"
      "printf '[core]\\n\\tbare = true # theirs\\n[a]\\n\\tb = c\\n' >t/config;"
      "echo 'ref: refs/heads/from-template' >t/HEAD";
  InitOptions options = in("w");
  options.template_dir = "t";
  expect_same(options, "--template=t", setup);
  options.template_dir = "";
  expect_same(options, "--template=");
}

// git leaves a config that came by template as it was copied; here the group may change that file as well.
TEST(Init, SharesAsATemplateSays) {
  test::Scratch scratch;
  scratch.write("t/config", "[core]\n\tsharedRepository = group\n");
  InitOptions options = in(scratch / "w");
  options.template_dir = scratch / "t";
  init_repository(options, plain(scratch));
  struct stat info {};
  for (const auto& [name, mode] : std::map<std::string, mode_t>{{"config", 0664}, {"HEAD", 0664}, {"refs", 02775}}) {
    ASSERT_EQ(::stat((scratch / ("w/.git/" + name)).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, mode) << name;
  }
}

TEST(Init, SharesWithTheGroup) {
  InitOptions options = in("w");
  options.shared = SharedMode::parse("group");
  expect_same(options, "--shared=group");
  options.shared = SharedMode::parse("0640");
  options.bare = true;
  expect_same(options, "--bare --shared=0640");
  expect_same(in("w"), "", "", {"core.sharedRepository=all"});
}

TEST(Init, RecordsAWorkTreeElsewhere) {
  test::Scratch scratch;
  InitOptions options = in(scratch / "w");
  options.work_tree = scratch / "other";
  const auto made = init_repository(options, plain(scratch));
  EXPECT_EQ(scratch.output("git -C w config core.worktree"), scratch / "other\n");
  EXPECT_EQ(made.repository.config().get("core.worktree"), scratch / "other");
  EXPECT_EQ(made.repository.work_tree(), scratch / "other");
}

TEST(Init, RefusesWhatCannotBe) {
  test::Scratch scratch;
  const auto message = [](const InitOptions& options, const Environment& environment) {
    return test::error_message([&] { init_repository(options, environment); });
  };
  InitOptions options = in(scratch / "w");
  for (const char* bad :
       {"a..b", "a b", ".a", "a/.b", "a.lock", "a.lock/b", "a//b", "/a", "a/", "a@{b", "a.", "-a", "a~"}) {
    options.initial_branch = bad;
    EXPECT_EQ(message(options, plain(scratch)), "invalid initial branch name: '" + std::string(bad) + "'");
  }
  options.initial_branch.reset();
  Environment named = plain(scratch);
  named.add_override("init.defaultBranch=a b");
  EXPECT_EQ(message(options, named), "invalid branch name: init.defaultBranch = a b");
  EXPECT_NE(message(options, plain(scratch, {{"GIT_DEFAULT_HASH", "sha256"}})), "accepted");
  EXPECT_FALSE(base::path_exists(scratch / "w"));
  EXPECT_EQ(message(options, plain(scratch)), "accepted");
  EXPECT_EQ(message(options, plain(scratch)), "a repository is there already: '" + (scratch / "w/.git") + "'");
}

TEST(Init, TellsOfTemplatesItCannotUse) {
  test::Scratch scratch;
  InitOptions options = in(scratch / "w");
  options.template_dir = scratch / "none";
  EXPECT_EQ(init_repository(options, plain(scratch)).warnings,
            std::vector<std::string>{"templates not found in " + (scratch / "none")});
  scratch.write("t/config", "[core]\nrepositoryformatversion=9\n");
  options = in(scratch / "v");
  options.template_dir = scratch / "t";
  EXPECT_EQ(init_repository(options, plain(scratch)).warnings,
            std::vector<std::string>{"not copying templates from '" + (scratch / "t") +
                                     "': Expected git repo version <= 1, found 9"});
}

}  // namespace pfetch::repo
