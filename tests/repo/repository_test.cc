#include "repo/repository.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "repo/discovery.h"
#include "repo/paths.h"
#include "repo/safe_directory.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

using Map = std::map<std::string, std::string>;

Environment plain(Map more = {}) {
  more.emplace("GIT_CONFIG_NOSYSTEM", "1");
  more.emplace("HOME", "/nonexistent");
  return Environment::from(more);
}

using test::error_message;

// What we and git say about the repository that a command in `directory` works on.
std::string ours(const test::Scratch& scratch, const std::string& directory, const Map& variables = {}) {
  const auto repository = Repository::discover(plain(variables), scratch / directory);
  return repository.git_dir() + "\n" + repository.common_dir() + "\n" + (repository.is_bare() ? "true" : "false") +
         "\n" + repository.work_tree().value_or("fatal: this operation must be run in a work tree") + "\n";
}

std::string theirs(const test::Scratch& scratch, const std::string& directory, const Map& variables = {}) {
  std::string command = "cd " + directory + "; ";
  for (const auto& [name, value] : variables) command += "export " + name + "=" + base::shell_quote(value) + "; ";
  return scratch.output(command +
                        "git rev-parse --absolute-git-dir; git rev-parse --path-format=absolute --git-common-dir;"
                        "git rev-parse --is-bare-repository; git rev-parse --show-toplevel");
}

}  // namespace

TEST(Repository, IsFoundWhereGitFindsIt) {
  test::Scratch scratch;
  scratch.output(
      "git init -q plain; mkdir -p plain/a/b; git init -q --bare bare.git; git init -q --separate-git-dir sep linked;"
      "git -C plain -c user.name=a -c user.email=b commit -q --allow-empty -m x; git -C plain worktree add -q ../wt;"
      "mkdir wt/sub; git init -q elsewhere; mkdir there; git -C elsewhere config core.worktree ../../there;"
      "git init -q called-bare; git -C called-bare config core.bare true");
  for (const char* directory :
       {"plain", "plain/a/b", "bare.git", "bare.git/refs", "linked", "wt", "wt/sub", "plain/.git", "called-bare"}) {
    EXPECT_EQ(ours(scratch, directory), theirs(scratch, directory)) << directory;
  }
  EXPECT_EQ(Repository::discover(plain(), scratch / "elsewhere").work_tree(), scratch / "there");
  EXPECT_EQ(Repository::discover(plain(), scratch / "wt").shallow_path(), scratch / "plain/.git/shallow");
  EXPECT_EQ(Repository::discover(plain(), scratch / "wt").index_path(), scratch / "plain/.git/worktrees/wt/index");
}

TEST(Repository, FollowsTheEnvironment) {
  test::Scratch scratch;
  scratch.output("git init -q plain; git init -q --bare bare.git; mkdir other");
  const Map cases[] = {
      {{"GIT_DIR", scratch / "plain/.git"}},
      {{"GIT_DIR", "../plain/.git"}, {"GIT_WORK_TREE", "."}},
      {{"GIT_DIR", "../bare.git"}},
      {{"GIT_DIR", "../bare.git"}, {"GIT_WORK_TREE", scratch.path()}},
  };
  for (const Map& variables : cases) {
    EXPECT_EQ(ours(scratch, "other", variables), theirs(scratch, "other", variables)) << variables.at("GIT_DIR");
  }
  const auto moved = Repository::discover(
      plain({{"GIT_INDEX_FILE", "/i"}, {"GIT_OBJECT_DIRECTORY", scratch.path()}, {"GIT_SHALLOW_FILE", ""}}),
      scratch / "plain");
  EXPECT_EQ(moved.index_path(), "/i");
  EXPECT_EQ(moved.objects_dir(), scratch.path());
  EXPECT_EQ(moved.shallow_path(), "");
}

TEST(Repository, StopsAtCeilings) {
  test::Scratch scratch;
  scratch.output("git init -q r; mkdir -p r/a/b");
  EXPECT_EQ(error_message([&] {
              Repository::discover(plain({{"GIT_CEILING_DIRECTORIES", scratch / "r/a"}}), scratch / "r/a/b");
            }),
            "not a git repository (or any of the parent directories): .git");
  EXPECT_EQ(error_message([&] {
              Repository::discover(plain({{"GIT_CEILING_DIRECTORIES", scratch / "r"}}), scratch / "r");
            }),
            "accepted");
}

TEST(Repository, SaysWhyAGitFileDoesNotLeadAnywhere) {
  test::Scratch scratch;
  const auto with = [&](const std::string& text) {
    scratch.write("w/.git", text);
    return error_message([&] { Repository::discover(plain(), scratch / "w"); });
  };
  EXPECT_EQ(with("foo"), "invalid gitfile format: " + (scratch / "w/.git"));
  EXPECT_EQ(with("gitdir: \n"), "no path in gitfile: " + (scratch / "w/.git"));
  EXPECT_EQ(with("gitdir: nope\n"), "not a git repository: " + (scratch / "w/nope"));
  EXPECT_EQ(error_message([&] {
              Repository::discover(plain({{"GIT_DIR", "/nope"}}), scratch.path());
            }),
            "not a git repository: '/nope'");
}

TEST(RepositoryFormat, RefusesByNameWhatItDoesNotKnow) {
  test::Scratch scratch;
  scratch.output("git init -q --bare r");
  const auto with = [&](const std::string& version, const std::string& extension) {
    scratch.write("r/config", "[core]\n\trepositoryformatversion = " + version + "\n[extensions]\n" + extension + "\n");
    return error_message([&] { Repository::open(scratch / "r", plain()); });
  };
  for (const char* fine : {"noop", "noop-v1", "preciousObjects", "partialClone = o", "worktreeConfig = false",
                           "relativeWorktrees", "objectFormat = sha1", "refStorage = files"}) {
    EXPECT_EQ(with("1", fine), "accepted") << fine;
  }
  EXPECT_EQ(with("0", "foo"), "accepted");
  EXPECT_EQ(with("7", ""), "Expected git repo version <= 1, found 7");
  EXPECT_EQ(with("1", "foo"), "unknown repository extension found:\n\tfoo");
  EXPECT_EQ(with("1", "foo\ncompatObjectFormat = sha256"),
            "unknown repository extensions found:\n\tfoo\n\tcompatobjectformat");
  EXPECT_EQ(with("0", "noop-v1"), "repo version is 0, but v1-only extension found:\n\tnoop-v1");
  EXPECT_NE(with("1", "objectFormat = sha256").find("sha256"), std::string::npos);
  EXPECT_NE(with("1", "refStorage = reftable").find("reftable"), std::string::npos);
  EXPECT_EQ(with("1", "objectFormat = foo"), "invalid value for 'extensions.objectformat': 'foo'");
  EXPECT_EQ(with("x", ""), "bad numeric config value 'x' for 'core.repositoryformatversion' in file " +
                               (scratch / "r/config") + ": invalid unit");
}

TEST(Repository, ReadsTheWorktreesOwnConfig) {
  test::Scratch scratch;
  scratch.output(
      "git init -q r; git -C r -c user.name=a -c user.email=b commit -q --allow-empty -m x; git -C r worktree add -q "
      "../w;"
      "git -C r config extensions.worktreeConfig true; git -C w config --worktree a.b mine");
  EXPECT_EQ(Repository::discover(plain(), scratch / "w").config().get("a.b"), "mine");
  EXPECT_FALSE(Repository::discover(plain(), scratch / "r").config().has("a.b"));
}

TEST(SafeDirectory, TrustsOwnersAndWhatIsNamed) {
  test::Scratch scratch;
  Ownership ownership;
  ownership.user = 1000;
  ownership.owner_of = [](const std::string& path) -> std::optional<uid_t> {
    return path == "/mine" ? 1000 : path == "/root" ? 0 : 7;
  };
  const auto verdict = [&](const std::string& directory, const std::vector<std::string>& settings, Map variables = {}) {
    Environment environment = plain(std::move(variables));
    for (const std::string& setting : settings) environment.add_override("safe.directory=" + setting);
    return error_message([&] { ensure_safe_directory(directory, {directory}, environment, ownership); });
  };
  EXPECT_EQ(verdict("/mine", {}), "accepted");
  EXPECT_EQ(verdict("/their's", {}),
            "detected dubious ownership in repository at '/their's'\n"
            "To add an exception for this directory, call:\n\n"
            "\tgit config --global --add safe.directory '/their'\\''s'");
  EXPECT_EQ(verdict("/a/b", {"/a/b"}), "accepted");
  EXPECT_EQ(verdict("/a/b", {"/a/b/"}), "accepted");
  EXPECT_EQ(verdict("/a/b", {"*"}), "accepted");
  EXPECT_EQ(verdict("/a/b", {"/a/*"}), "accepted");
  EXPECT_NE(verdict("/a/b", {"*", ""}), "accepted");
  EXPECT_NE(verdict("/a/b", {"/a"}), "accepted");
  EXPECT_NE(verdict("/root", {}, {{"SUDO_UID", "7"}}), "accepted");
  ownership.user = 0;
  EXPECT_EQ(verdict("/root", {}), "accepted");
  EXPECT_EQ(verdict("/other", {}, {{"SUDO_UID", "7"}}), "accepted");
  EXPECT_NE(verdict("/mine", {}, {{"SUDO_UID", "7"}}), "accepted");
  EXPECT_NE(verdict("/other", {}, {{"SUDO_UID", "7x"}}), "accepted");
}

TEST(SafeDirectory, BareRepositoriesCanBeAskedForByNameOnly) {
  test::Scratch scratch;
  scratch.output("git init -q --bare r; git init -q w");
  Environment environment = plain();
  environment.add_override("safe.bareRepository=explicit");
  EXPECT_EQ(error_message([&] { Repository::discover(environment, scratch / "r"); }),
            "cannot use bare repository '" + (scratch / "r") + "' (safe.bareRepository is 'explicit')");
  EXPECT_EQ(error_message([&] { Repository::discover(environment, scratch / "w/.git"); }), "accepted");
  environment.git_dir = scratch / "r";
  EXPECT_EQ(error_message([&] { Repository::discover(environment, scratch.path()); }), "accepted");
}

}  // namespace pfetch::repo
