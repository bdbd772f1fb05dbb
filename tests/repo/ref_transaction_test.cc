#include "repo/ref_transaction.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tests/repo/ref_transaction_fixture.h"

namespace pfetch::repo {
namespace {

using object::Oid;

int open_descriptors() {
  int count = 0;
  DIR* directory = ::opendir("/proc/self/fd");
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

TEST_F(RefTransactionTest, WritesRefsAndLogsAsGitDoes) {
  auto change = transaction();
  change.create("refs/heads/new/one", c[1], "create  it\nnow ");
  change.create("refs/remotes/origin/x", c[2], "fetch: new");
  change.create("refs/tags/light", c[2], "no log");
  change.update({.name = "refs/heads/loose", .new_id = c[1], .old_id = c[3], .message = "back"});
  change.update({.name = "refs/heads/old", .new_id = c[2], .message = ""});
  change.prepare();
  EXPECT_EQ(refs->read("refs/heads/new/one"), std::nullopt);
  change.commit();
  scratch.out_of("cd g; git update-ref -m 'create  it\nnow ' refs/heads/new/one " + hex(1) +
                 "; git update-ref -m 'fetch: new' refs/remotes/origin/x " + hex(2) +
                 "; git update-ref -m 'no log' refs/tags/light " + hex(2) +
                 "; git update-ref -m back refs/heads/loose " + hex(1) + "; git update-ref refs/heads/old " + hex(2));
  expect_same_as_git();
  EXPECT_EQ(scratch.out_of("cd r; git reflog show --format=%gs refs/heads/new/one"), "create it now");
}

TEST_F(RefTransactionTest, HeadIsLoggedWithItsBranch) {
  auto change = transaction();
  change.update({.name = "refs/heads/main", .new_id = c[1], .message = "by branch"});
  change.prepare();
  change.commit();
  auto through = transaction();
  through.update({.name = "HEAD", .new_id = c[2], .old_id = c[1], .message = "through HEAD"});
  through.prepare();
  through.commit();
  auto same = transaction();
  same.update({.name = "HEAD", .new_id = c[2], .message = "stays"});
  same.prepare();
  same.commit();
  auto detach = transaction();
  detach.update({.name = "HEAD", .new_id = c[3], .message = "detach", .no_deref = true});
  detach.prepare();
  detach.commit();
  scratch.out_of("cd g; git update-ref -m 'by branch' refs/heads/main " + hex(1) +
                 "; git update-ref -m 'through HEAD' HEAD " + hex(2) + "; git update-ref -m stays HEAD " + hex(2) +
                 "; git update-ref --no-deref -m detach HEAD " + hex(3));
  expect_same_as_git();
  EXPECT_FALSE(refs->head().is_symbolic());
}

TEST_F(RefTransactionTest, SetsSymbolicRefs) {
  auto change = transaction();
  change.set_symbolic("HEAD", "refs/heads/old", "checkout");
  change.set_symbolic("refs/remotes/origin/HEAD", "refs/remotes/origin/unborn", "nothing to log");
  change.prepare();
  change.commit();
  scratch.out_of(
      "cd g; git symbolic-ref -m checkout HEAD refs/heads/old;"
      "git symbolic-ref -m 'nothing to log' refs/remotes/origin/HEAD refs/remotes/origin/unborn");
  expect_same_as_git();
}

TEST_F(RefTransactionTest, DeletesLoosePackedAndLogs) {
  auto change = transaction();
  change.remove("refs/heads/loose", c[3]);
  change.remove("refs/heads/deep/er/one", std::nullopt);
  change.remove("refs/tags/v1", std::nullopt);
  change.remove("refs/heads/never", std::nullopt);
  change.prepare();
  EXPECT_EQ(scratch.out_of("ls r/.git/packed-refs*").size(), std::string("r/.git/packed-refs").size() * 3 + 11);
  change.commit();
  scratch.out_of(
      "cd g; printf 'delete refs/heads/loose\ndelete refs/heads/deep/er/one\ndelete refs/tags/v1\n"
      "delete refs/heads/never\n' | git update-ref --stdin");
  expect_same_as_git();
}

TEST_F(RefTransactionTest, ADeletionKeepsPackedRefsLockedUntilTheLooseFileIsGone) {
  auto change = transaction();
  change.remove("refs/heads/loose", std::nullopt);  // not in packed-refs: nothing to rewrite
  change.prepare();
  EXPECT_NE(scratch.run("cd r; git pack-refs --all").status, 0);
  change.commit();
  EXPECT_EQ(scratch.run("cd r; git pack-refs --all").status, 0);
  EXPECT_FALSE(refs->read("refs/heads/loose"));
}

TEST_F(RefTransactionTest, RefusesStaleValuesInGitsWords) {
  const auto git_says = [&](const std::string& arguments) {
    const std::string out = scratch.run("cd g; git update-ref " + arguments).out;
    return out.substr(out.find("cannot lock"), out.size() - out.find("cannot lock") - 1);
  };
  EXPECT_EQ(refused_update({.name = "refs/heads/old", .new_id = c[1], .old_id = c[2]}),
            git_says("refs/heads/old " + hex(1) + " " + hex(2)));
  EXPECT_EQ(refused_update({.name = "refs/heads/old", .new_id = c[1], .old_id = null_id}),
            git_says("refs/heads/old " + hex(1) + " " + null_id.hex()));
  EXPECT_EQ(refused_update({.name = "refs/heads/none", .new_id = c[1], .old_id = c[2]}),
            git_says("refs/heads/none " + hex(1) + " " + hex(2)));
  EXPECT_EQ(refused_update({.name = "refs/heads/old", .old_id = c[2]}),
            "cannot lock ref 'refs/heads/old': is at " + hex(3) + " but expected " + hex(2));
  scratch.write("r/.git/refs/heads/bad", "garbage\n");
  scratch.write("g/.git/refs/heads/bad", "garbage\n");
  EXPECT_EQ(refused_update({.name = "refs/heads/bad", .new_id = c[1]}), git_says("refs/heads/bad " + hex(1)));
}

TEST_F(RefTransactionTest, RefusesNamesInEachOthersWayInGitsWords) {
  const auto git_says = [&](const std::string& name) {
    const std::string out = scratch.run("cd g; git update-ref " + name + " " + hex(1)).out;
    return out.substr(out.find("cannot lock"), out.size() - out.find("cannot lock") - 1);
  };
  for (const std::string name : {"refs/heads/loose/x", "refs/heads/old/x/y", "refs/heads/deep", "refs/heads/deep/er"}) {
    EXPECT_EQ(refused_update({.name = name, .new_id = c[1]}), git_says(name)) << name;
  }
  EXPECT_EQ(refusal([&] {
              auto change = transaction();
              change.create("refs/heads/a/b", c[1], "");
              change.create("refs/heads/a", c[1], "");
              change.prepare();
            }),
            "cannot lock ref 'refs/heads/a/b': cannot process 'refs/heads/a' and 'refs/heads/a/b' at the same time");
  scratch.out_of("mkdir -p r/.git/refs/heads/full; touch r/.git/refs/heads/full/.x");
  EXPECT_EQ(refused_update({.name = "refs/heads/full", .new_id = c[1]}).substr(0, 76),
            "cannot lock ref 'refs/heads/full': there is a non-empty directory '" + (scratch / "r").substr(0, 9));
}

TEST_F(RefTransactionTest, ReplacesEmptyDirectories) {
  scratch.out_of("mkdir -p r/.git/refs/heads/e/f r/.git/logs/refs/heads/e/f");
  auto change = transaction();
  change.create("refs/heads/e", c[1], "m");
  change.prepare();
  change.commit();
  EXPECT_EQ(scratch.out_of("cd r; git rev-parse refs/heads/e; git reflog show --format=%gs refs/heads/e"),
            hex(1) + "\nm");
}

TEST_F(RefTransactionTest, RefusesBadNames) {
  for (const std::string name : {"refs/heads/x.lock", "refs/heads/x y", "refs/heads/../../config", "config",
                                 "refs/../HEAD", "worktrees/x/HEAD", ""}) {
    EXPECT_EQ(refused_update({.name = name, .new_id = c[1]}), "refusing to update ref with bad name '" + name + "'");
  }
  EXPECT_NE(refused_update({.name = "refs/heads/../../config", .new_id = null_id}), "accepted");
  EXPECT_NE(refused_update({.name = "HEAD", .new_target = "refs/heads/a b", .no_deref = true}), "accepted");
}

TEST_F(RefTransactionTest, DeletesBrokenRefs) {
  scratch.write("r/.git/refs/heads/bad name", "garbage\n");
  auto change = transaction();
  change.remove("refs/heads/bad name", std::nullopt);
  change.prepare();
  change.commit();
  EXPECT_EQ(scratch.out_of("ls r/.git/refs/heads"), "loose");
}

TEST_F(RefTransactionTest, RefusesTheSameRefTwice) {
  EXPECT_EQ(refusal([&] {
              auto change = transaction();
              change.create("refs/heads/a", c[1], "");
              change.create("refs/heads/a", c[2], "");
              change.prepare();
            }),
            "multiple updates for ref 'refs/heads/a' not allowed");
  EXPECT_NE(refusal([&] {
              auto change = transaction();
              change.update({.name = "HEAD", .new_id = c[1]});
              change.update({.name = "refs/heads/main", .new_id = c[2]});
              change.prepare();
            }),
            "accepted");
}

TEST_F(RefTransactionTest, ChecksObjectsIfItCan) {
  RefsOptions checking = options();
  checking.kind_of = [this](const Oid& id) -> std::optional<object::Kind> {
    if (id == tree) return object::Kind::tree;
    if (id == c[1]) return object::Kind::commit;
    return std::nullopt;
  };
  refs = Refs::open(checking);
  const auto git_says = [&](const std::string& id) {
    const std::string out = scratch.run("cd g; git update-ref refs/heads/z " + id).out;
    return out.substr(out.find("cannot update"), out.size() - out.find("cannot update") - 1);
  };
  EXPECT_EQ(refused_update({.name = "refs/heads/z", .new_id = tree}), git_says(tree.hex()));
  const std::string absent(40, '5');
  EXPECT_EQ(refused_update({.name = "refs/heads/z", .new_id = Oid::from_hex(absent)}), git_says(absent));
  auto change = transaction();
  change.create("refs/tags/tree", tree, "");
  EXPECT_TRUE(change.prepare()[0].ok());
}

TEST_F(RefTransactionTest, AtomicFailureLeavesEverythingAsItWas) {
  const std::string before = state_of("r");
  {
    auto change = transaction();
    change.create("refs/heads/made/here", c[1], "m");
    change.remove("refs/heads/old", std::nullopt);
    change.update({.name = "refs/heads/loose", .new_id = c[1], .old_id = c[2]});
    EXPECT_THROW(change.prepare(), Error);
    EXPECT_TRUE(change.outcomes()[0].ok());
    EXPECT_EQ(change.outcomes()[2].verdict, RefVerdict::stale);
    EXPECT_EQ(state_of("r"), before);
  }
  {
    auto dropped = transaction();
    dropped.create("refs/heads/made/here", c[1], "m");
    dropped.remove("refs/heads/old", std::nullopt);
    dropped.prepare();
    EXPECT_NE(state_of("r"), before);  // the locks
  }
  EXPECT_EQ(state_of("r"), before);
}

TEST_F(RefTransactionTest, WithoutAtomicTheOthersPass) {
  scratch.out_of("touch r/.git/refs/heads/held.lock");
  auto change = transaction(false);
  change.create("refs/heads/good", c[1], "m");
  change.create("refs/heads/held", c[1], "m");
  change.create("refs/heads/loose/x", c[1], "m");
  change.create("refs/heads/bad..name", c[1], "m");
  change.update({.name = "refs/heads/old", .new_id = c[1], .old_id = c[1]});
  change.remove("refs/heads/deep/er/one", c[1]);
  change.remove("refs/tags/v1", std::nullopt);
  change.prepare();
  std::vector<RefVerdict> verdicts;
  for (const RefOutcome& outcome : change.commit()) verdicts.push_back(outcome.verdict);
  EXPECT_EQ(verdicts, (std::vector<RefVerdict>{RefVerdict::accepted, RefVerdict::locked, RefVerdict::conflict,
                                               RefVerdict::bad_name, RefVerdict::stale, RefVerdict::stale,
                                               RefVerdict::accepted}));
  EXPECT_TRUE(refs->read("refs/heads/good"));
  EXPECT_TRUE(refs->read("refs/heads/deep/er/one"));
  EXPECT_FALSE(refs->read("refs/tags/v1"));
  EXPECT_EQ(scratch.out_of("cd r; find .git -name '*.lock'"), ".git/refs/heads/held.lock");
}

TEST_F(RefTransactionTest, AHeldLockOnPackedRefsFailsOnlyDeletions) {
  scratch.out_of("touch r/.git/packed-refs.lock");
  auto change = transaction(false);
  change.create("refs/heads/good", c[1], "m");
  change.remove("refs/tags/v1", std::nullopt);
  change.prepare();
  EXPECT_EQ(change.commit()[1].verdict, RefVerdict::locked);
  EXPECT_TRUE(refs->read("refs/tags/v1"));
  EXPECT_TRUE(refs->read("refs/heads/good"));
}

// A directory that appears after the check makes the rename fail; what was renamed before it goes back.
TEST_F(RefTransactionTest, AFailedRenamePutsTheOthersBack) {
  auto change = transaction();
  change.update({.name = "refs/heads/loose", .new_id = c[1]});
  change.update({.name = "refs/heads/old", .new_id = c[1]});  // packed only: its file must go away again
  change.create("refs/heads/late", c[1], "");
  change.prepare();
  scratch.out_of("mkdir r/.git/refs/heads/late; touch r/.git/refs/heads/late/x");
  EXPECT_THROW(change.commit(), Error);
  EXPECT_EQ(change.outcomes()[2].verdict, RefVerdict::failed);
  EXPECT_EQ(refs->read("refs/heads/loose")->id, c[3]);
  EXPECT_EQ(refs->read("refs/heads/old")->id, c[3]);
  EXPECT_EQ(scratch.out_of("cd r/.git; find . -name '*.lock'; ls refs/heads"), "late\nloose");
}

TEST_F(RefTransactionTest, LocksCostNoDescriptors) {
  auto change = transaction();
  for (int i = 0; i < 200; ++i) change.create("refs/heads/n/" + std::to_string(i), c[1], "");
  const int before = open_descriptors();
  change.prepare();
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(scratch.out_of("ls r/.git/refs/heads/n | grep -c lock"), "200");
  change.abort();
  EXPECT_EQ(scratch.out_of("ls r/.git/refs/heads"), "loose");
}

TEST_F(RefTransactionTest, HonoursSharedRepository) {
  RefsOptions shared = options();
  shared.shared_mode = SharedMode::parse("0640");
  refs = Refs::open(shared);
  auto change = transaction();
  change.create("refs/heads/s/x", c[1], "m");
  change.remove("refs/tags/v1", std::nullopt);
  change.prepare();
  change.commit();
  EXPECT_EQ(scratch.out_of("cd r/.git; stat -c %a refs/heads/s/x refs/heads/s packed-refs logs/refs/heads/s/x"),
            "640\n2750\n640\n640");
}

TEST_F(RefTransactionTest, ABareRepositoryStartsNoLogs) {
  RefsOptions bare = options();
  bare.bare = true;
  refs = Refs::open(bare);
  auto change = transaction();
  change.create("refs/heads/quiet", c[1], "m");
  change.update({.name = "refs/heads/asked", .new_id = c[1], .message = "m", .create_reflog = true});
  change.update({.name = "refs/heads/loose", .new_id = c[1], .message = "goes on"});
  change.prepare();
  change.commit();
  EXPECT_EQ(
      scratch.out_of("cd r/.git/logs/refs/heads; ls asked quiet 2>&1 | grep -c 'No such'; tail -n1 loose | cut -f2"),
      "1\ngoes on");
}

}  // namespace
}  // namespace pfetch::repo
