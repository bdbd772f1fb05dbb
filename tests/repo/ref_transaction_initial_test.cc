#include <gtest/gtest.h>

#include "repo/ref_transaction.h"
#include "tests/repo/ref_transaction_fixture.h"

namespace pfetch::repo {
namespace {

TEST(InitialTransaction, LeavesWhatGitCloneLeaves) {
  const test::Scratch scratch;
  scratch.out_of(
      "git init -q -b main s; cd s; git commit -q --allow-empty -m c; git tag -a -m t v1; git tag light; git branch "
      "side;"
      "cd ..; git clone -q --no-local s g; git init -q -b main r; cd r; git remote add origin ../s; cp -r "
      "../g/.git/objects .git");
  const auto id = [&](const std::string& name) {
    return *Oid::from_hex(scratch.out_of("cd s; git rev-parse " + name));
  };
  const Oid commit = id("main");
  const auto refs = Refs::open({.git_dir = scratch / "r/.git"});
  RefTransaction fetched(refs, {.initial = true, .ident = ident});
  fetched.create("refs/remotes/origin/side", commit, "");
  fetched.create("refs/remotes/origin/main", commit, "");
  fetched.update({.name = "refs/tags/v1", .new_id = id("v1"), .peeled = commit});
  fetched.update({.name = "refs/tags/light", .new_id = commit, .peel_known = true});
  fetched.prepare();
  fetched.commit();

  const std::string message = "clone: from " + scratch / "s";
  RefTransaction head(refs, {.ident = ident});
  head.set_symbolic("refs/remotes/origin/HEAD", "refs/remotes/origin/main", message);
  head.set_symbolic("HEAD", "refs/heads/main");
  head.create("refs/heads/main", commit, message);
  head.prepare();
  head.commit();
  const auto state = [&](const std::string& where) {
    return scratch.out_of("cd " + where +
                          "/.git; find refs logs -type f | sort; for f in HEAD $(find refs logs -type f | sort); "
                          "do echo \"== $f\"; cat $f; done");
  };
  EXPECT_EQ(state("r"), state("g"));
  // Git was told which objects are tags by looking; remote branches are commits, which our caller did not say.
  EXPECT_EQ(scratch.read("r/.git/packed-refs").substr(0, 26), "# pack-refs with: sorted \n");
  EXPECT_EQ(scratch.out_of("cd r; git for-each-ref"), scratch.out_of("cd g; git for-each-ref"));
  EXPECT_EQ(scratch.out_of("cd r; git fsck 2>&1"), "");
}

TEST(InitialTransaction, PeelsWhenItCan) {
  const test::Scratch scratch;
  scratch.out_of(
      "git init -q -b main s; cd s; git commit -q --allow-empty -m c; git tag -a -m t v1; cd ..; git clone -q "
      "--no-local s g; git init -q r");
  const Oid commit = *Oid::from_hex(scratch.out_of("cd s; git rev-parse main"));
  const Oid tag = *Oid::from_hex(scratch.out_of("cd s; git rev-parse v1"));
  RefsOptions options{.git_dir = scratch / "r/.git"};
  options.peel = [&](const Oid& id) { return id == tag ? std::optional<Oid>(commit) : std::nullopt; };
  RefTransaction fetched(Refs::open(options), {.initial = true});
  fetched.create("refs/remotes/origin/main", commit, "");
  fetched.create("refs/tags/v1", tag, "");
  fetched.prepare();
  fetched.commit();
  EXPECT_EQ(scratch.read("r/.git/packed-refs"), scratch.read("g/.git/packed-refs"));
}

TEST(InitialTransaction, NeedsARepositoryWithoutRefs) {
  const test::Scratch scratch;
  scratch.out_of("git init -q -b main r; cd r; git commit -q --allow-empty -m c");
  const auto refs = Refs::open({.git_dir = scratch / "r/.git"});
  RefTransaction fetched(refs, {.initial = true});
  fetched.create("refs/heads/x", refs->head().id, "");
  EXPECT_THROW(fetched.prepare(), Error);
  EXPECT_EQ(scratch.run("ls r/.git/packed-refs*").status != 0, true);
}

}  // namespace
}  // namespace pfetch::repo
