// Which refs a clone takes and what it makes of them; the expectations were checked against git-clone.
#include "command/clone_refs.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "command/clone_directory.h"
#include "tests/support/pack_builder.h"

namespace pfetch::command {
namespace {

const object::Oid id_a = test::object_id(object::Kind::commit, "a");
const object::Oid id_b = test::object_id(object::Kind::commit, "b");
const object::Oid id_tag = test::object_id(object::Kind::tag, "t");

// main and HEAD at a, side at b, an annotated tag of b, and a ref outside of both.
transport::RemoteRefs usual_remote() {
  transport::RemoteRefs remote;
  remote.add({"HEAD", id_a, {}, "refs/heads/main"});
  remote.head_is_symbolic = true;
  remote.add({"refs/heads/main", id_a, {}, ""});
  remote.add({"refs/heads/side", id_b, {}, ""});
  remote.add({"refs/notes/n", id_b, {}, ""});
  remote.add({"refs/tags/v1", id_tag, id_b, ""});
  return remote;
}

CloneRefs choose(const std::function<void(CloneRequest&)>& change, const transport::RemoteRefs& remote = usual_remote(),
                 const std::string& default_branch = "master") {
  CloneRequest request;
  request.origin = "origin";
  change(request);
  return choose_refs(request, remote, {default_branch, {}});
}

std::string mapped(const CloneRefs& refs) {
  std::string text;
  for (const MappedRef& ref : refs.mapped) text += ref.remote_name + ">" + ref.local_name + " ";
  return text;
}

std::vector<object::Oid> sorted(std::vector<object::Oid> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

using Texts = std::vector<std::string>;

TEST(CloneRefs, TakesAllBranchesAndTags) {
  const CloneRefs refs = choose([](auto&) {});
  EXPECT_EQ(
      mapped(refs),
      "refs/heads/main>refs/remotes/origin/main refs/heads/side>refs/remotes/origin/side refs/tags/v1>refs/tags/v1 ");
  EXPECT_EQ(refs.wants, sorted({id_a, id_b, id_tag}));
  EXPECT_EQ(refs.head_branch, "refs/heads/main");
  EXPECT_EQ(refs.head_remote_branch, "refs/heads/main");
  EXPECT_EQ(refs.head_id, id_a);
  EXPECT_EQ(refs.origin_head, "refs/remotes/origin/main");
  EXPECT_EQ(refs.refspecs, Texts{"+refs/heads/*:refs/remotes/origin/*"});
  EXPECT_FALSE(refs.empty_remote);
  EXPECT_FALSE(refs.head_is_nowhere);
}

TEST(CloneRefs, NamesTheRemoteAsAsked) {
  const CloneRefs refs = choose([](auto& r) { r.origin = "there"; });
  EXPECT_EQ(refs.origin_head, "refs/remotes/there/main");
  EXPECT_EQ(refs.refspecs, Texts{"+refs/heads/*:refs/remotes/there/*"});
}

TEST(CloneRefs, TakesOneBranchWithADepthAndLetsTagsFollow) {
  const CloneRefs refs = choose([](auto& r) { r.depth = 1; });
  EXPECT_EQ(mapped(refs), "refs/heads/main>refs/remotes/origin/main ");
  EXPECT_EQ(refs.wants, sorted({id_a}));
  ASSERT_EQ(refs.followed.size(), 1U);
  EXPECT_EQ(refs.followed[0].local_name, "refs/tags/v1");
  EXPECT_TRUE(refs.include_tag);
  EXPECT_EQ(refs.refspecs, Texts{"+refs/heads/main:refs/remotes/origin/main"});
  const CloneRefs all = choose([](auto& r) {
    r.depth = 1;
    r.single_branch = false;
  });
  EXPECT_EQ(all.mapped.size(), 3U);
}

TEST(CloneRefs, LeavesTagsOutWhenTold) {
  EXPECT_EQ(choose([](auto& r) { r.tags = false; }).mapped.size(), 2U);
  const CloneRefs single = choose([](auto& r) {
    r.tags = false;
    r.depth = 1;
  });
  EXPECT_TRUE(single.followed.empty());
  EXPECT_FALSE(single.include_tag);
}

TEST(CloneRefs, ChecksOutTheBranchThatIsNamed) {
  const CloneRefs refs = choose([](auto& r) {
    r.branch = "side";
    r.single_branch = true;
  });
  EXPECT_EQ(mapped(refs), "refs/heads/side>refs/remotes/origin/side ");
  EXPECT_EQ(refs.wants, sorted({id_b}));
  EXPECT_EQ(refs.head_branch, "refs/heads/side");
  EXPECT_EQ(refs.head_id, id_b);
  EXPECT_EQ(refs.refspecs, Texts{"+refs/heads/side:refs/remotes/origin/side"});
}

TEST(CloneRefs, DetachesHeadAtATagThatIsNamed) {
  const CloneRefs refs = choose([](auto& r) {
    r.branch = "v1";
    r.depth = 1;
  });
  EXPECT_EQ(mapped(refs), "refs/tags/v1>refs/tags/v1 ");
  EXPECT_EQ(refs.head_branch, "");
  EXPECT_EQ(refs.head_id, id_tag);
  EXPECT_EQ(refs.refspecs, Texts{"+refs/tags/v1:refs/tags/v1"});
}

TEST(CloneRefs, SaysThatABranchOrRevisionIsNotThere) {
  for (const auto& change : std::vector<std::function<void(CloneRequest&)>>{
           [](auto& r) { r.branch = "gone"; }, [](auto& r) { r.revision = "refs/heads/gone"; }}) {
    try {
      choose(change);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      EXPECT_NE(error.message().find("gone not found in upstream origin"), std::string::npos) << error.message();
    }
  }
}

TEST(CloneRefs, TakesOnlyARevision) {
  for (const std::string& revision : {std::string("refs/notes/n"), id_b.hex()}) {
    const CloneRefs refs = choose([&](auto& r) { r.revision = revision; });
    EXPECT_TRUE(refs.mapped.empty());
    EXPECT_EQ(refs.wants, sorted({id_b}));
    EXPECT_EQ(refs.head_id, id_b);
    EXPECT_EQ(refs.head_branch, "");
  }
}

TEST(CloneRefs, KeepsBranchesAsTheyAreInABareRepositoryAndEverythingInAMirror) {
  const CloneRefs bare = choose([](auto& r) { r.bare = true; });
  EXPECT_EQ(mapped(bare), "refs/heads/main>refs/heads/main refs/heads/side>refs/heads/side refs/tags/v1>refs/tags/v1 ");
  EXPECT_TRUE(bare.refspecs.empty());
  EXPECT_EQ(bare.origin_head, "");
  const CloneRefs mirror = choose([](auto& r) { r.bare = r.mirror = true; });
  EXPECT_EQ(mirror.mapped.size(), 4U);
  for (const MappedRef& ref : mirror.mapped) EXPECT_EQ(ref.local_name, ref.remote_name);
  EXPECT_EQ(mirror.refspecs, Texts{"+refs/*:refs/*"});
}

TEST(CloneRefs, StaysUnbornWhereTheOtherSideIsUnborn) {
  transport::RemoteRefs empty;
  const CloneRefs guessed = choose([](auto&) {}, empty, "trunk");
  EXPECT_TRUE(guessed.empty_remote);
  EXPECT_EQ(guessed.head_branch, "refs/heads/trunk");
  EXPECT_FALSE(guessed.head_id);
  EXPECT_FALSE(guessed.head_is_nowhere);
  empty.head_target = "refs/heads/theirs";
  empty.head_is_symbolic = true;
  EXPECT_EQ(choose([](auto&) {}, empty, "trunk").head_branch, "refs/heads/theirs");
}

TEST(CloneRefs, DetachesHeadWhereTheOtherSideIsDetached) {
  transport::RemoteRefs remote;
  const auto elsewhere = test::object_id(object::Kind::commit, "detached");
  remote.add({"HEAD", elsewhere, {}, ""});
  remote.add({"refs/heads/main", id_a, {}, ""});
  const CloneRefs refs = choose([](auto&) {}, remote);
  EXPECT_EQ(refs.head_branch, "");
  EXPECT_EQ(refs.head_id, elsewhere);
  EXPECT_EQ(refs.wants, sorted({id_a, elsewhere}));
  EXPECT_EQ(refs.origin_head, "");
}

TEST(CloneRefs, GuessesTheBranchOfAHeadThatDoesNotSay) {
  transport::RemoteRefs remote;
  remote.add({"HEAD", id_a, {}, ""});
  for (const char* name : {"refs/heads/aa", "refs/heads/dev", "refs/heads/master"}) remote.add({name, id_a, {}, ""});
  EXPECT_EQ(choose([](auto&) {}, remote, "dev").head_branch, "refs/heads/dev");
  EXPECT_EQ(choose([](auto&) {}, remote, "none").head_branch, "refs/heads/master");
  remote.refs.pop_back();
  EXPECT_EQ(choose([](auto&) {}, remote, "none").head_branch, "refs/heads/aa");
}

TEST(CloneRefs, AsksForNoMorePrefixesThanItNeeds) {
  CloneRequest request;
  EXPECT_EQ(ref_prefixes(request, {}), (Texts{"HEAD", "refs/heads/", "refs/tags/"}));
  request.tags = false;
  request.branch = "side";
  request.depth = 1;
  EXPECT_EQ(ref_prefixes(request, {}), (Texts{"HEAD", "refs/heads/side", "refs/tags/side"}));
  request.mirror = true;
  EXPECT_TRUE(ref_prefixes(request, {}).empty());
}

TEST(DirectoryFromUrl, IsNamedAsGitNamesIt) {
  const std::vector<std::pair<const char*, const char*>> names = {
      {"host:foo", "foo"},
      {"host:foo.git", "foo"},
      {"host:foo/.git", "foo"},
      {"ssh://host/foo.git/", "foo"},
      {"ssh://host/foo/.git/", "foo"},
      {"host:foo///", "foo"},
      {"host:foo.git///", "foo"},
      {"ssh://host/", "host"},
      {"ssh://host", "host"},
      {"ssh://host:1234/", "host"},
      {"ssh://host:1234", "host"},
      {"ssh://host.git", "host"},
      {"ssh://host/.git", "host"},
      {"ssh://user@host/", "host"},
      {"ssh://user:password@host:1234/", "host"},
      {"ssh://user:passw@rd@host:1234/", "host"},
      {"host:/", "host"},
      {"host:1234", "host"},
      {"user@host:/", "host"},
      {"user:password@host:/", "host"},
      {"user:passw@rd@host:/", "host"},
      {"user@host:1234.git", "1234"},
      {"ssh://host/foo@bar", "foo@bar"},
      {"ssh://user:password@host/test:1234", "1234"},
      {"ssh://host/foo.bundle", "foo.bundle"},
      {"ssh://host/foo.git.git", "foo.git"},
      {"host:foo/bar.git/.git", "bar"},
      {"ssh://host/a  b", "a b"},
      {"ssh://host/ foo ", "foo"},
      {"/some/where/repo", "repo"},
      {"../repo.git", "repo"},
  };
  for (const auto& [url, name] : names) {
    EXPECT_EQ(directory_from_url(url, false), name) << url;
    EXPECT_EQ(directory_from_url(url, true), std::string(name) + ".git") << url;
  }
  for (const char* url : {"", "/", "https://", "."}) EXPECT_THROW(directory_from_url(url, false), Error) << url;
}

CloneRefs with_refspec(const std::string& refspec, const std::function<void(CloneRequest&)>& change) {
  CloneRequest request;
  request.origin = "origin";
  change(request);
  return choose_refs(request, usual_remote(),
                     {"main", {object::Refspec::parse(refspec, object::Refspec::Direction::fetch)}});
}

TEST(CloneRefs, TakesWhatIsConfiguredBesideItsOwn) {
  const auto whole = with_refspec("+refs/heads/s*:refs/mine/*", [](CloneRequest&) {});
  EXPECT_EQ(whole.mapped.front().local_name, "refs/mine/ide");
  EXPECT_EQ(whole.mapped.front().id, id_b);
  // What would be stored twice is stored once.
  const auto twice = with_refspec("+refs/heads/*:refs/remotes/origin/*", [](CloneRequest&) {});
  EXPECT_EQ(twice.mapped.size(), whole.mapped.size() - 1);
  // Of a single branch, only that branch can match.
  const auto single = with_refspec("+refs/heads/*:refs/mine/*", [](CloneRequest& request) {
    request.single_branch = true;
    request.branch = "side";
  });
  ASSERT_EQ(single.mapped.size(), 2U);
  EXPECT_EQ(single.mapped[0].local_name, "refs/mine/side");
  EXPECT_EQ(single.mapped[1].local_name, "refs/remotes/origin/side");
  EXPECT_THROW(with_refspec("refs/heads/nowhere:refs/x", [](CloneRequest&) {}), Error);
}

TEST(RefPrefixes, CoverWhatIsConfigured) {
  CloneRequest request;
  const CloneRefRules rules{
      "main", {object::Refspec::parse("+refs/pull/*:refs/remotes/pull/*", object::Refspec::Direction::fetch)}};
  EXPECT_EQ(ref_prefixes(request, rules).back(), "refs/pull/");
}

}  // namespace
}  // namespace pfetch::command
