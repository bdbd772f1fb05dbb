// Which refs a fetch takes: refspecs of the command line and of the configuration, what is for merging, tags.
#include "command/fetch_refs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "command/fetch_prune.h"

namespace pfetch::command {
namespace {

using object::Oid;
using object::Refspec;
using testing::ElementsAre;

Oid id(int n) {
  Oid id;
  id.raw[0] = static_cast<std::uint8_t>(n);
  return id;
}

// main (1), topic (2), tag v1 (3, of 1), tag far (4, of 9), HEAD at main.
transport::RemoteRefs advertised() {
  transport::RemoteRefs remote;
  remote.add({"HEAD", id(1), {}, "refs/heads/main"});
  remote.add({"refs/heads/main", id(1), {}, {}});
  remote.add({"refs/heads/topic", id(2), {}, {}});
  remote.add({"refs/tags/far", id(4), id(9), {}});
  remote.add({"refs/tags/v1", id(3), id(1), {}});
  return remote;
}

FetchRemote origin(const std::vector<std::string>& refspecs = {"+refs/heads/*:refs/remotes/origin/*"}) {
  FetchRemote remote;
  remote.name = "origin";
  remote.configured = true;
  remote.refspecs = Refspec::parse_all(refspecs, Refspec::Direction::fetch);
  return remote;
}

// "remote -> local", with "!" where it is for merging and "." where FETCH_HEAD does not have it.
std::vector<std::string> chosen(const FetchArguments& arguments, const FetchRemote& remote,
                                const BranchUpstream& upstream = {}) {
  std::vector<std::string> lines;
  for (const FetchedRef& ref : choose_fetch_refs(fetch_rules(arguments, remote, upstream), advertised()).refs) {
    const char* mark = ref.for_merge == ForMerge::yes ? "!" : ref.for_merge == ForMerge::no ? "" : ".";
    lines.push_back(mark + ref.remote_name + " -> " + ref.local_name + (ref.force ? " +" : ""));
  }
  return lines;
}

FetchArguments asking(std::vector<std::string> refspecs) {
  FetchArguments arguments;
  arguments.refspecs = std::move(refspecs);
  return arguments;
}

TEST(FetchRefs, TakesWhatIsConfiguredWhenNothingIsNamed) {
  EXPECT_THAT(chosen({}, origin()), ElementsAre("refs/heads/main -> refs/remotes/origin/main +",
                                                "refs/heads/topic -> refs/remotes/origin/topic +"));
}

TEST(FetchRefs, MarksTheUpstreamOfTheBranchForMerging) {
  EXPECT_THAT(
      chosen({}, origin(), {"origin", {"refs/heads/topic"}}),
      ElementsAre("refs/heads/main -> refs/remotes/origin/main +", "!refs/heads/topic -> refs/remotes/origin/topic +"));
  // That of another remote counts for nothing.
  EXPECT_THAT(
      chosen({}, origin(), {"other", {"refs/heads/topic"}}),
      ElementsAre("refs/heads/main -> refs/remotes/origin/main +", "refs/heads/topic -> refs/remotes/origin/topic +"));
  // One that no refspec takes is fetched for merging alone.
  EXPECT_THAT(chosen({}, origin({"refs/heads/main:refs/x"}), {"origin", {"refs/heads/topic"}}),
              ElementsAre("refs/heads/main -> refs/x", "!refs/heads/topic -> "));
}

TEST(FetchRefs, MarksTheFirstRefOfARefspecWithoutAPattern) {
  EXPECT_THAT(chosen({}, origin({"refs/heads/topic:refs/x"})), ElementsAre("!refs/heads/topic -> refs/x"));
}

TEST(FetchRefs, TakesHeadWhenNothingIsConfigured) {
  EXPECT_THAT(chosen({}, origin({})), ElementsAre("!HEAD -> "));
}

TEST(FetchRefs, TracksWhatWasAskedFor) {
  EXPECT_THAT(chosen(asking({"topic"}), origin()),
              ElementsAre("!refs/heads/topic -> ", ".refs/heads/topic -> refs/remotes/origin/topic +"));
  FetchArguments elsewhere = asking({"topic"});
  elsewhere.refmap = {"refs/heads/*:refs/copies/*"};
  EXPECT_THAT(chosen(elsewhere, origin()),
              ElementsAre("!refs/heads/topic -> ", ".refs/heads/topic -> refs/copies/topic"));
  elsewhere.refmap = {""};
  EXPECT_THAT(chosen(elsewhere, origin()), ElementsAre("!refs/heads/topic -> "));
  elsewhere.refspecs.clear();
  EXPECT_THROW(chosen(elsewhere, origin()), Error);
}

TEST(FetchRefs, TakesIdsTagsAndPatternsAndLeavesOutWhatIsNegated) {
  const std::string hex = id(7).hex();
  EXPECT_THAT(chosen(asking({hex + ":refs/x"}), origin()), ElementsAre("!" + hex + " -> refs/x"));
  EXPECT_THAT(chosen(asking({"tag", "v1"}), origin()), ElementsAre("!refs/tags/v1 -> refs/tags/v1"));
  EXPECT_THAT(chosen(asking({"refs/heads/*:refs/y/*", "^refs/heads/topic"}), origin({})),
              ElementsAre("!refs/heads/main -> refs/y/main"));
  EXPECT_THROW(chosen(asking({"tag"}), origin()), Error);
  EXPECT_THROW(chosen(asking({"nosuch"}), origin()), Error);
}

TEST(FetchRefs, RefusesTwoRefsUnderOneName) {
  EXPECT_THROW(chosen(asking({"main:refs/x", "topic:refs/x"}), origin()), Error);
  // What is only tracked gives way, with a warning.
  const FetchRemote remote = origin();
  const FetchRules rules = fetch_rules(asking({"topic:refs/remotes/origin/main", "main"}), remote, {});
  EXPECT_EQ(choose_fetch_refs(rules, advertised()).warnings.size(), 1U);
}

TEST(FetchRefs, AllTagsAreNotForMerging) {
  FetchArguments arguments = asking({"main"});
  arguments.tags = FetchArguments::Tags::all;
  EXPECT_THAT(chosen(arguments, origin({})),
              ElementsAre("!refs/heads/main -> ", "refs/tags/far -> refs/tags/far", "refs/tags/v1 -> refs/tags/v1"));
}

TEST(FetchRefs, TagsFollowWhatComesOrIsHere) {
  const auto follow = [](const Oid& fetched, const std::string& has_ref, const Oid& has_object) {
    std::vector<std::string> names;
    for (const FetchedRef& ref : tags_to_follow(
             advertised(), {fetched}, [&](const std::string& name) { return name == has_ref; },
             [&](const Oid& one) { return one == has_object; })) {
      names.push_back(ref.local_name);
    }
    return names;
  };
  EXPECT_THAT(follow(id(1), "", id(8)), ElementsAre("refs/tags/v1"));
  EXPECT_THAT(follow(id(1), "refs/tags/v1", id(8)), ElementsAre());
  EXPECT_THAT(follow(id(2), "", id(9)), ElementsAre("refs/tags/far"));
}

TEST(FetchRefs, TagsFollowOnlyWhereSomethingIsStored) {
  EXPECT_TRUE(fetch_rules({}, origin(), {}).follows_tags());
  EXPECT_FALSE(fetch_rules(asking({"main"}), origin(), {}).follows_tags());
  EXPECT_TRUE(fetch_rules(asking({"main:refs/x"}), origin(), {}).follows_tags());
  FetchRemote without = origin();
  without.tags = FetchRemote::TagOption::none;
  EXPECT_FALSE(fetch_rules({}, without, {}).follows_tags());
}

TEST(FetchRefs, AsksForNoListWhenOnlyIdsAreWanted) {
  EXPECT_FALSE(fetch_prefixes(fetch_rules(asking({id(7).hex()}), origin({}), {})));
  EXPECT_THAT(*fetch_prefixes(fetch_rules({}, origin(), {})), ElementsAre("refs/heads/", "refs/tags/"));
  EXPECT_THAT(*fetch_prefixes(fetch_rules({}, origin({}), {})), ElementsAre("HEAD"));
}

TEST(FetchPrune, FindsWhatTheRemoteHasNoLonger) {
  const std::vector<repo::Ref> here = {
      {.name = "refs/remotes/origin/gone", .id = id(5)},
      {.name = "refs/remotes/origin/main", .id = id(1)},
      {.name = "refs/remotes/origin/HEAD", .symref_target = "refs/remotes/origin/main"},
      {.name = "refs/heads/gone", .id = id(5)}};
  const auto pruned = [&](const std::vector<std::string>& refspecs) {
    std::vector<std::string> names;
    const auto parsed = Refspec::parse_all(refspecs, Refspec::Direction::fetch);
    for (const RefDecision& decision : stale_refs(parsed, advertised(), here)) names.push_back(decision.local_name);
    return names;
  };
  EXPECT_THAT(pruned({"refs/heads/*:refs/remotes/origin/*"}), ElementsAre("refs/remotes/origin/gone"));
  EXPECT_THAT(pruned({"refs/heads/*:refs/remotes/origin/*", "^refs/heads/gone"}), ElementsAre());
  EXPECT_THAT(pruned({"refs/heads/main:refs/remotes/origin/gone"}), ElementsAre());
  EXPECT_THAT(pruned({"main"}), ElementsAre());
}

}  // namespace
}  // namespace pfetch::command
