#include "repo/refs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {
namespace {

const std::string one(40, '1');

// A repository with loose, packed, overridden, symbolic and nested refs.
class RefsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scratch.out_of(
        "git init -q -b main r; cd r; git commit -q --allow-empty -m c; git commit -q --allow-empty -m d;"
        "git tag -a -m t v1; git tag light; git branch a/b; git branch a-b; git pack-refs --all;"
        "git update-ref refs/heads/a-b HEAD~1; git branch zz;"
        "git update-ref refs/remotes/origin/main HEAD; git symbolic-ref refs/remotes/origin/HEAD "
        "refs/remotes/origin/main");
    refs = Refs::open({.git_dir = scratch / "r/.git"});
  }
  std::string listed(const std::string& prefix) const {
    std::string text;
    refs->for_each(prefix, [&](const Ref& ref) {
      text += ref.id.hex() + " " + ref.name + "\n";
      return true;
    });
    if (!text.empty()) text.pop_back();
    return text;
  }
  std::string by_git(const std::string& prefix) const {
    return scratch.out_of("cd r; git for-each-ref --format='%(objectname) %(refname)' " + prefix);
  }

  test::Scratch scratch;
  std::shared_ptr<Refs> refs;
};

TEST_F(RefsTest, ListsWhatGitLists) {
  EXPECT_EQ(listed("refs/"), by_git("refs"));
  EXPECT_EQ(listed(""), by_git(""));
  EXPECT_EQ(listed("refs/heads/"), by_git("refs/heads"));
  EXPECT_EQ(listed("refs/heads/a/"), by_git("refs/heads/a"));
  EXPECT_EQ(listed("refs/nosuch/"), "");
}

TEST_F(RefsTest, TakesAPrefixThatIsNoDirectory) {
  EXPECT_EQ(refs->list("refs/heads/a").size(), 2u);
  EXPECT_EQ(refs->list("refs/tags/v").size(), 1u);
}

TEST_F(RefsTest, StopsWhenTheVisitorSaysSo) {
  int seen = 0;
  refs->for_each("", [&](const Ref&) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

TEST_F(RefsTest, LooseOverridesPacked) {
  EXPECT_EQ(refs->read("refs/heads/a-b")->id.hex(), scratch.out_of("cd r; git rev-parse HEAD~1"));
  EXPECT_EQ(refs->read("refs/tags/v1")->peeled->hex(), scratch.out_of("cd r; git rev-parse HEAD"));
  EXPECT_EQ(refs->read("refs/heads/nosuch"), std::nullopt);
  EXPECT_EQ(refs->read("refs/heads/a"), std::nullopt);  // a directory
  EXPECT_EQ(refs->read("config"), std::nullopt);        // a file, but no ref
  EXPECT_EQ(refs->read("../r/.git/HEAD"), std::nullopt);
}

TEST_F(RefsTest, FollowsSymbolicRefs) {
  const Ref head = refs->head();
  EXPECT_EQ(head.symref_target, "refs/heads/main");
  EXPECT_EQ(head.id.hex(), scratch.out_of("cd r; git rev-parse HEAD"));
  EXPECT_EQ(refs->resolve("refs/remotes/origin/HEAD")->name, "refs/remotes/origin/main");
  scratch.out_of("cd r; git symbolic-ref HEAD refs/heads/unborn");
  EXPECT_TRUE(refs->head().id.is_null());
  EXPECT_EQ(refs->resolve("HEAD")->name, "refs/heads/unborn");
  scratch.out_of("cd r; git checkout -q --detach main");
  EXPECT_FALSE(refs->head().is_symbolic());
}

TEST_F(RefsTest, GivesUpOnLoopsAtTheDepthWhereGitDoes) {
  scratch.out_of(
      "cd r; git symbolic-ref refs/s/1 refs/heads/main; for i in 2 3 4 5 6; do git symbolic-ref refs/s/$i "
      "refs/s/$((i-1)); "
      "done; git symbolic-ref refs/s/loop refs/s/loop");
  for (const char* name : {"1", "2", "3", "4", "5", "6", "loop"}) {
    const bool theirs = scratch.run("cd r; git rev-parse --verify -q refs/s/" + std::string(name)).status == 0;
    EXPECT_EQ(!refs->read("refs/s/" + std::string(name))->is_broken(), theirs) << name;
  }
}

TEST_F(RefsTest, ReportsBrokenRefsAsData) {
  scratch.write("r/.git/refs/heads/empty", "");
  scratch.write("r/.git/refs/heads/short", "1234\n");
  scratch.write("r/.git/refs/heads/long", one + "1\n");
  scratch.write("r/.git/refs/heads/badsym", "ref: ../x\n");
  scratch.write("r/.git/refs/heads/bad name", one + "\n");
  scratch.write("r/.git/refs/heads/good", "  ");
  scratch.write("r/.git/refs/heads/tail", one + " tail\n");
  scratch.write("r/.git/refs/heads/x.lock", one + "\n");
  scratch.write("r/.git/refs/heads/.hidden", one + "\n");
  std::string broken;
  for (const Ref& ref : refs->list("refs/heads/")) {
    if (ref.is_broken()) broken += ref.name.substr(11) + " ";
    EXPECT_NE(ref.name, "refs/heads/x.lock");
    EXPECT_NE(ref.name, "refs/heads/.hidden");
  }
  EXPECT_EQ(broken, "bad name badsym empty good long short ");
  EXPECT_EQ(refs->read("refs/heads/tail")->id.hex(), one);
}

TEST_F(RefsTest, SeesThatPackedRefsChanged) {
  EXPECT_TRUE(refs->read("refs/tags/light"));
  scratch.out_of("cd r; git tag -d light; git update-ref refs/tags/new HEAD; git pack-refs --all");
  EXPECT_FALSE(refs->read("refs/tags/light"));
  EXPECT_TRUE(refs->read("refs/tags/new"));
}

TEST_F(RefsTest, KeepsWorktreesApart) {
  scratch.out_of(
      "cd r; git worktree add -q ../w -b side; git -C ../w update-ref refs/bisect/bad HEAD;"
      "git update-ref refs/bisect/good HEAD; git -C ../w update-ref refs/worktree/x HEAD");
  const auto other = Refs::open({.git_dir = scratch / "r/.git/worktrees/w", .common_dir = scratch / "r/.git"});
  EXPECT_EQ(other->head().symref_target, "refs/heads/side");
  EXPECT_EQ(refs->head().symref_target, "refs/heads/main");
  EXPECT_TRUE(other->read("refs/bisect/bad"));
  EXPECT_FALSE(refs->read("refs/bisect/bad"));
  std::string names;
  for (const Ref& ref : other->list("")) names += ref.name + "\n";
  names.pop_back();
  EXPECT_EQ(names, scratch.out_of("cd w; git for-each-ref --format='%(refname)'"));
  EXPECT_EQ(other->read("main-worktree/HEAD")->symref_target, "refs/heads/main");
  EXPECT_EQ(refs->read("worktrees/w/HEAD")->symref_target, "refs/heads/side");
}

TEST_F(RefsTest, FindsShortNames) {
  EXPECT_EQ(refs->find_short("v1")->name, "refs/tags/v1");
  EXPECT_EQ(refs->find_short("main")->name, "refs/heads/main");
  EXPECT_EQ(refs->find_short("origin")->name, "refs/remotes/origin/HEAD");
  EXPECT_EQ(refs->find_short("nosuch"), std::nullopt);
}

TEST_F(RefsTest, SeesConflictsLooseAndPacked) {
  const auto packed = refs->packed();
  EXPECT_EQ(refs->conflicting_ref("refs/heads/a", *packed), "refs/heads/a/b");          // packed below
  EXPECT_EQ(refs->conflicting_ref("refs/heads/zz/top", *packed), "refs/heads/zz");      // loose above
  EXPECT_EQ(refs->conflicting_ref("refs/heads/main/x/y", *packed), "refs/heads/main");  // packed above
  EXPECT_EQ(refs->conflicting_ref("refs/remotes/origin", *packed), "refs/remotes/origin/HEAD");
  EXPECT_EQ(refs->conflicting_ref("refs/heads/a/c", *packed), std::nullopt);
}

TEST_F(RefsTest, ListsLogs) {
  scratch.out_of("cd r; rm -rf .git/logs; git config core.logAllRefUpdates always; git update-ref refs/heads/a/c HEAD");
  EXPECT_EQ(refs->list_logs(), std::vector<std::string>{"refs/heads/a/c"});
  scratch.out_of("cd r; git commit -q --allow-empty -m e");
  EXPECT_EQ(refs->list_logs(), (std::vector<std::string>{"HEAD", "refs/heads/a/c", "refs/heads/main"}));
}

TEST(Refs, MissingHeadIsNamed) {
  const test::Scratch scratch;
  EXPECT_THROW(Refs::open({.git_dir = scratch.path()})->head(), Error);
  EXPECT_TRUE(Refs::open({.git_dir = scratch.path()})->list("").empty());
}

}  // namespace
}  // namespace pfetch::repo
