#include "session/worktree_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/error.h"
#include "repo/environment.h"
#include "session/worktree_change.h"
#include "store/reader.h"
#include "tests/support/error_message.h"
#include "tests/support/fakes.h"
#include "tests/support/scratch.h"

namespace pfetch::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Silent : public Reporter {
 public:
  void say(std::string_view) override {}
  void warn(std::string_view text) override { warnings.emplace_back(text); }
  void complain(std::string_view text) override { complaints.emplace_back(text); }
  void remote(std::string_view, char) override {}
  void yield_terminal(bool) override {}

  std::vector<std::string> warnings;
  std::vector<std::string> complaints;
};

// Two branches, `one` (checked out) and `two`, in a repository made by git.
class WorktreeSwitchTest : public testing::Test {
 protected:
  WorktreeSwitchTest() {
    git("git init -q -b one . && git config core.autocrlf false");
    scratch.write("both", "both\n");
    scratch.write("changed", "one\n");
    scratch.write("gone/deep/file", "gone\n");
    scratch.write("dir/file", "below\n");
    scratch.write("becomes-dir", "file\n");
    git("ln -s target link && git add . && git commit -qm one && git branch two && git checkout -q two");
    scratch.write("changed", "two\n");
    scratch.write("new/deep/file", "new\n");
    git("git rm -rq gone dir becomes-dir link && mkdir becomes-dir && echo x > becomes-dir/x && echo y > dir && "
        "mkdir link && echo z > link/z && git add . && git commit -qm two && git checkout -q one");
  }

  std::string git(const std::string& script) const { return scratch.out_of(script); }
  object::Oid id(const std::string& revision) const {
    return object::Oid::from_hex(git("git rev-parse " + revision)).value();
  }

  template <typename Work>
  auto with_context(Work work) {
    const repo::Environment environment = repo::Environment::read();
    const repo::Repository repository = repo::Repository::open(scratch / ".git", environment);
    store::Reader objects({repository.objects_dir()});
    return work(SwitchContext{repository, objects, reporter, progress, cancel});
  }

  SwitchOutcome switch_to(const std::string& from, const std::string& to, const SwitchOptions& options = {}) {
    SwitchOutcome outcome =
        with_context([&](const SwitchContext& context) { return switch_worktree(context, id(from), id(to), options); });
    if (outcome.refusal.empty()) git("git symbolic-ref HEAD refs/heads/" + to);
    return outcome;
  }
  PathsOutcome checkout(const std::vector<std::string>& pathspecs, const PathsOptions& options = {}) {
    const object::Pathspec pathspec(pathspecs, {});
    return with_context([&](const SwitchContext& context) { return checkout_paths(context, pathspec, options); });
  }
  std::string status() const { return git("git status --porcelain"); }

  test::Scratch scratch;
  Silent reporter;
  Progress progress;
  base::Cancellation cancel;
};

TEST_F(WorktreeSwitchTest, BringsFilesDirectoriesAndLinksIntoEachOther) {
  for (const char* way : {"one two", "two one", "one two"}) {
    const std::string from(way, 3);
    const std::string to(way + 4);
    const SwitchOutcome outcome = switch_to(from, to);
    EXPECT_TRUE(outcome.refusal.empty());
    EXPECT_THAT(outcome.local_changes, IsEmpty());
    EXPECT_EQ(status(), "") << way;
    EXPECT_EQ(git("git diff-files"), "");
  }
  EXPECT_FALSE(base::path_exists(scratch / "gone"));
  EXPECT_EQ(scratch.read("link/z"), "z\n");
  EXPECT_THAT(reporter.warnings, IsEmpty());
}

TEST_F(WorktreeSwitchTest, TouchesNothingThatStaysTheSame) {
  const auto inode = [&](const char* path) {
    struct stat info {};
    EXPECT_EQ(::lstat((scratch / path).c_str(), &info), 0);
    return info.st_ino;
  };
  const ino_t before = inode("both");
  EXPECT_EQ(switch_to("one", "two").files_written, 5U);
  EXPECT_EQ(inode("both"), before);
  const ino_t index = inode(".git/index");
  EXPECT_EQ(switch_to("two", "two").files_written, 0U);
  EXPECT_EQ(inode(".git/index"), index);
}

TEST_F(WorktreeSwitchTest, LocalChangesThatTheSwitchDoesNotTouchStayAndAreListed) {
  scratch.write("both", "mine\n");
  scratch.write("staged", "staged\n");
  git("git add staged");
  const SwitchOutcome outcome = switch_to("one", "two");
  EXPECT_TRUE(outcome.refusal.empty());
  ASSERT_EQ(outcome.local_changes.size(), 2U);
  EXPECT_EQ(outcome.local_changes[0].letter, 'M');
  EXPECT_EQ(outcome.local_changes[0].path, "both");
  EXPECT_EQ(outcome.local_changes[1].letter, 'A');
  EXPECT_EQ(scratch.read("both"), "mine\n");
}

TEST_F(WorktreeSwitchTest, LocalChangesThatWouldBeLostStopItBeforeAnythingIsWritten) {
  scratch.write("changed", "mine\n");
  scratch.write("gone/deep/file", "mine, too\n");
  const std::string before = git("git ls-files -s && cat .git/index | sha1sum && ls -lR --time-style=full-iso");
  const SwitchOutcome outcome = switch_to("one", "two");
  EXPECT_THAT(outcome.refusal.local_changes, ElementsAre("changed", "gone/deep/file"));
  EXPECT_EQ(git("git ls-files -s && cat .git/index | sha1sum && ls -lR --time-style=full-iso"), before);
  EXPECT_FALSE(base::path_exists(scratch / ".git/index.lock"));
  EXPECT_TRUE(switch_to("one", "two", {.force = true}).refusal.empty());
  EXPECT_EQ(status(), "");
}

TEST_F(WorktreeSwitchTest, AChangeThatStatDataCannotShowIsSeen) {
  const std::string times = "touch -d '2020-01-01 00:00:00.5' ";
  git(times + "changed && git update-index --refresh -q && " + times + ".git/index");  // same moment: racy
  scratch.write("changed", "ONE\n");
  git(times + "changed");
  EXPECT_THAT(switch_to("one", "two").refusal.local_changes, ElementsAre("changed"));
}

TEST_F(WorktreeSwitchTest, AFileThatWasOnlyTouchedIsNoChange) {
  git("touch -d 2030-01-01 changed both");
  EXPECT_TRUE(switch_to("one", "two").refusal.empty());
  EXPECT_EQ(git("git diff-files"), "");  // what was looked at need not be looked at again
}

TEST_F(WorktreeSwitchTest, NothingIsWrittenThroughALinkThatReplacedADirectory) {
  git("mkdir ../outside-$$ && mv ../outside-$$ outside && rm -r gone && ln -s outside gone");
  scratch.write("outside/deep/file", "theirs\n");
  git("git checkout -q -f two -- changed");  // any difference
  switch_to("one", "two", {.force = true});
  switch_to("two", "one", {.force = true});
  EXPECT_EQ(scratch.read("outside/deep/file"), "theirs\n");
  EXPECT_EQ(scratch.read("gone/deep/file"), "gone\n");
  EXPECT_FALSE(std::filesystem::is_symlink(scratch / "gone"));
}

TEST_F(WorktreeSwitchTest, AConflictStopsItUnlessForced) {
  git("git checkout -q -b three one && echo three > changed && git commit -qam three && (git merge two || true) && "
      "git ls-files -u | grep -q changed");
  EXPECT_THAT(switch_to("three", "one").refusal.unmerged, testing::Contains("changed"));
  EXPECT_TRUE(switch_to("three", "one", {.force = true}).refusal.empty());
  EXPECT_EQ(git("git ls-files -u"), "");
  EXPECT_EQ(git("git diff HEAD --name-only"), "");
}

TEST_F(WorktreeSwitchTest, AHeldIndexIsNamedAndNothingChanges) {
  scratch.write(".git/index.lock", "");
  EXPECT_THAT(test::error_message([&] { switch_to("one", "two"); }, ErrorCode::exists),
              testing::HasSubstr(".git/index.lock"));
  EXPECT_EQ(git("cat .git/HEAD"), "ref: refs/heads/one");
}

TEST_F(WorktreeSwitchTest, PathsComeBackFromTheIndexAndFromATree) {
  scratch.write("both", "mine\n");
  git("rm changed && rm -r gone");
  EXPECT_EQ(checkout({"."}).updated, 3U);
  EXPECT_EQ(status(), "");
  EXPECT_EQ(checkout({"changed", "new"}, {.tree = id("two")}).updated, 2U);
  EXPECT_EQ(status(), "M  changed\nA  new/deep/file");
  EXPECT_THAT(checkout({"changed", "nosuch"}).unmatched, ElementsAre("nosuch"));
}

TEST_F(WorktreeSwitchTest, AnIndexWithoutAFileTakesAllOfTheTree) {
  git("rm .git/index && rm -rf both changed gone dir becomes-dir link");
  EXPECT_TRUE(switch_to("one", "one", {.force = true}).refusal.empty());
  EXPECT_EQ(status(), "");
}

// A file that appears, or changes, after all were looked at is not touched.
TEST_F(WorktreeSwitchTest, WhatAppearsBetweenTheLookAndTheWriteStays) {
  const std::size_t lost = with_context([&](const SwitchContext& context) {
    WorktreeChange change(context);
    change.examine();
    const checkout::IndexEntry* const changed = change.index().find("changed");
    scratch.write("new/file", "theirs\n");
    scratch.write("changed", "theirs, too\n");
    const checkout::TreeSide target{object::mode_file, id("two:changed")};
    change.apply({{"changed", target, changed, checkout::Standing::as_known, false, false},
                  {"new/file", target, nullptr, checkout::Standing::nothing, false, false}},
                 false, {});
    return change.lost();
  });
  EXPECT_EQ(lost, 2U);
  EXPECT_EQ(scratch.read("new/file"), "theirs\n");
  EXPECT_EQ(scratch.read("changed"), "theirs, too\n");
  EXPECT_EQ(reporter.complaints.size(), 2U);
}

}  // namespace
}  // namespace pfetch::session
