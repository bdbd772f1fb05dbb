#include <fmt/format.h>
#include <gtest/gtest.h>

#include "repo/ref_transaction.h"
#include "tests/repo/ref_transaction_fixture.h"

namespace pfetch::repo {
namespace {

constexpr int many = 150;  // enough to be packed

std::string name_of(int i) {
  return fmt::format("refs/remotes/origin/b{:03}", i);
}

class ManyNewRefsTest : public RefTransactionTest {
 protected:
  void create_many(RefTransaction& change) const {
    for (int i = 0; i < many; ++i) change.create(name_of(i), c[1 + i % 3], "fetch: new");
  }
  std::string git_creates_many() const {
    std::string lines;
    for (int i = 0; i < many; ++i) lines += "create " + name_of(i) + " " + hex(1 + i % 3) + "\n";
    scratch.write("lines", lines);
    return "git update-ref -m 'fetch: new' --stdin <../lines;";
  }
  std::string loose() const { return scratch.out_of("cd r/.git; find refs -path refs/remotes/'*' -type f | sort"); }
  std::string listed(const std::string& where) const { return scratch.out_of("cd " + where + "; git for-each-ref"); }
  // A hook that runs `script` in the repository when all is prepared.
  void when_prepared(const std::string& script) {
    scratch.write("r/.git/hooks/reference-transaction",
                  "#!/bin/sh\ncat >/dev/null; test $1 = prepared || exit 0; cd " + scratch / "r/.git" + "\n" + script);
    scratch.out_of("chmod +x r/.git/hooks/reference-transaction");
    RefsOptions hooked = options();
    hooked.hooks_dir = scratch / "r/.git/hooks";
    hooked.hook_directory = scratch / "r";
    refs = Refs::open(hooked);
  }
};

TEST_F(ManyNewRefsTest, AreLinesOfPackedRefsWithTheirLogs) {
  auto change = transaction(false);
  create_many(change);
  change.remove("refs/heads/old", c[3], "gone");
  change.update({.name = "refs/heads/loose", .new_id = c[1], .message = "back"});
  change.prepare();
  EXPECT_EQ(listed("r"), listed("g"));
  for (const RefOutcome& outcome : change.commit()) EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(loose(), "");
  scratch.out_of("cd g; " + git_creates_many() +
                 "git update-ref -d refs/heads/old; git update-ref -m back "
                 "refs/heads/loose " +
                 hex(1) + "; git pack-refs --all; git update-ref -m x refs/heads/loose " + hex(1));
  EXPECT_EQ(listed("r"), listed("g"));
  const std::string log = "git reflog show --format='%H %gs' " + name_of(7);
  EXPECT_EQ(scratch.out_of("cd r; " + log), scratch.out_of("cd g; " + log));
  EXPECT_EQ(scratch.out_of("cd r; git reflog show --format=%gs " + name_of(7)), "fetch: new");
  EXPECT_EQ(scratch.out_of("find r -name '*.lock' -o -name '*.new'"), "");
  EXPECT_EQ(scratch.run("cd r; git fsck --no-dangling").out, scratch.run("cd g; git fsck --no-dangling").out);
}

TEST_F(ManyNewRefsTest, AreLooseWhenTheTransactionIsAtomicOrTheyAreFew) {
  auto atomic = transaction(true);
  create_many(atomic);
  atomic.prepare();
  atomic.commit();
  EXPECT_TRUE(loose().starts_with(name_of(0) + "\n"));
  auto few = transaction(false);
  few.create("refs/remotes/origin/few", c[1], "");
  few.prepare();
  few.commit();
  EXPECT_NE(loose().find("refs/remotes/origin/few"), std::string::npos);
}

TEST_F(ManyNewRefsTest, StandInTheWayAsLooseOnesDo) {
  scratch.out_of("cd r; git update-ref " + name_of(0) + " main; git update-ref " + name_of(1) +
                 "/below main; "
                 "git update-ref refs/remotes/origin/up main; git pack-refs --all; git update-ref " +
                 name_of(2) + "/loose main; git update-ref refs/remotes/origin/new main; touch .git/" + name_of(3) +
                 ".lock");
  RefsOptions knowing = options();
  knowing.kind_of = [this](const Oid& id) {
    return id == c[1] || id == c[2] || id == c[3] ? std::optional(object::Kind::commit) : std::nullopt;
  };
  refs = Refs::open(knowing);
  auto change = transaction(false);
  create_many(change);
  change.create("refs/remotes/origin/up/x", c[1], "");
  change.create("refs/remotes/origin/new/x", c[1], "");
  change.create("refs/remotes/origin/self", c[1], "");
  change.create("refs/remotes/origin/self/x", c[1], "");
  change.create("refs/remotes/origin/no-object", *Oid::from_hex(std::string(40, 'a')), "");
  change.create(name_of(4), c[2], "again");
  const std::vector<RefOutcome> prepared = change.prepare();
  const auto said = [&](std::size_t at) { return prepared[at].message; };
  const std::string cannot = "cannot lock ref '";
  EXPECT_EQ(said(0), cannot + name_of(0) + "': reference already exists");
  EXPECT_EQ(said(1), cannot + name_of(1) + "': '" + name_of(1) + "/below' exists; cannot create '" + name_of(1) + "'");
  EXPECT_EQ(said(2), cannot + name_of(2) + "': '" + name_of(2) + "/loose' exists; cannot create '" + name_of(2) + "'");
  EXPECT_EQ(prepared[3].verdict, RefVerdict::locked);
  EXPECT_EQ(prepared[many].verdict, RefVerdict::conflict);
  EXPECT_EQ(prepared[many + 1].verdict, RefVerdict::conflict);
  EXPECT_TRUE(prepared[many + 2].ok());
  EXPECT_EQ(prepared[many + 3].verdict, RefVerdict::conflict);
  EXPECT_EQ(prepared[many + 4].verdict, RefVerdict::bad_object);
  EXPECT_EQ(prepared[many + 5].verdict, RefVerdict::duplicate);
  change.commit();
  EXPECT_EQ(refs->read(name_of(0))->id, c[3]);  // what was there stays
  EXPECT_EQ(refs->read(name_of(5))->id, c[3]);
  EXPECT_EQ(scratch.out_of("cd r; git for-each-ref refs/remotes | wc -l"), std::to_string(many - 4 + 6));
}

// What another process does between our look and our rename must not be lost, nor must ours hide it.
TEST_F(ManyNewRefsTest, GiveWayToWhoeverCreatesThemAtTheSameTime) {
  when_prepared("mkdir -p refs/remotes/origin/b002; echo " + hex(2) + " >" + name_of(0) + "; touch " + name_of(1) +
                ".lock; echo " + hex(1) + " >" + name_of(2) + "/below\n");
  auto change = transaction(false);
  create_many(change);
  change.prepare();
  const std::vector<RefOutcome> outcomes = change.commit();
  EXPECT_EQ(outcomes[0].verdict, RefVerdict::stale);
  EXPECT_EQ(outcomes[1].verdict, RefVerdict::locked);
  EXPECT_EQ(outcomes[2].verdict, RefVerdict::conflict);
  EXPECT_TRUE(outcomes[3].ok());
  EXPECT_EQ(refs->read(name_of(0))->id, c[2]);
  EXPECT_EQ(scratch.run("cd r/.git; grep -c 'b00[012]$' packed-refs").out, "0\n");
  EXPECT_EQ(refs->read(name_of(3))->id, c[1]);
}

TEST_F(ManyNewRefsTest, AddToTheLogsThatAreThereWhereNoneAreStarted) {
  RefsOptions without_logs = options();
  without_logs.log_refs = LogRefs::none;
  refs = Refs::open(without_logs);
  auto none = transaction(false);
  create_many(none);
  none.prepare();
  none.commit();
  EXPECT_EQ(scratch.out_of("cd r/.git; find logs/refs/remotes 2>&1 | wc -l"), "1");
  scratch.out_of("cd r; git update-ref --stdin <<E\n$(git for-each-ref --format='delete %(refname)' refs/remotes)\nE");
  scratch.write("r/.git/logs/" + name_of(7), "");
  auto some = transaction(false);
  create_many(some);
  some.prepare();
  some.commit();
  EXPECT_EQ(scratch.out_of("cd r; find .git/logs/refs/remotes -type f; git reflog show --format=%gs " + name_of(7)),
            ".git/logs/" + name_of(7) + "\nfetch: new");
}

TEST_F(ManyNewRefsTest, AreGoneAfterAnAbort) {
  const std::string before = state_of("r");
  when_prepared("exit 1\n");
  auto change = transaction(false);
  create_many(change);
  EXPECT_THROW(change.prepare(), Error);
  scratch.out_of("rm r/.git/hooks/reference-transaction");
  EXPECT_EQ(state_of("r"), before);
}

}  // namespace
}  // namespace pfetch::repo
