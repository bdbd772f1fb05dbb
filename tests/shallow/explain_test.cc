#include "shallow/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "shallow/deepen_cure.h"
#include "tests/support/fake_graph.h"

namespace pfetch::shallow {
namespace {

using object::Oid;
using test::FakeGraph;
using test::FakeReachability;
using test::ids;
using test::named;
using ::testing::ElementsAre;

AskObject one_of(std::string_view list) {
  return [known = ids(list)](const Oid& id) { return std::find(known.begin(), known.end(), id) != known.end(); };
}

// Ours: c1 to c6, and o2 that no ref reaches. The other side has four roots of use and four of none.
Explanation explained(NewRoots new_roots) {
  FakeGraph graph(
      "c6: c5; c5: c4; c4: c3; c3: c2; c2: c1; c1; o2: o1; o1: c1; n8: n7; n7: c6; x9: x8; x8: gone; m: x9 o2 c4; l1");
  const ShallowFile own{.there = true, .roots = ids("l1"), .content = "", .stamp = {}};
  FakeReachability reachability(graph);
  const std::vector<Oid> sender = ids("l1 absent c3 c4 n7 o2 x8 u1"), tips = ids("c6");
  graph.add(named("u1"), {});
  const std::vector<RefUpdate> updates = {{"good", named("c6")}, {"new", named("n8")}, {"mixed", named("m")}};
  const ReconcileContext context{
      own, one_of("l1 c1 c2 c3 c4 c5 c6 o1 o2"), one_of("c4 n8 n7 o2 m x9 x8 u1"), tips, graph, reachability};
  return explain(reconcile({sender, updates, new_roots}, context), updates, context);
}

std::vector<std::string> readable(const Explanation& explanation) {
  std::vector<std::string> lines = explanation_lines(explanation);
  for (std::string& text : lines) {
    for (const RootStory& root : explanation.roots) {
      for (std::size_t at; (at = text.find(root.id.hex())) != std::string::npos;) {
        text.replace(at, Oid::hex_size, test::name_of(root.id));
      }
    }
  }
  return lines;
}

TEST(Explain, TellsTheWayOfEachRootAndTheCureForEachRef) {
  EXPECT_THAT(readable(explained(NewRoots::refuse)),
              ElementsAre("the other side has 8 roots; decided in step 8, 3 commits walked",
                          "root l1 (ours): dropped in step 2: our boundary lists it already",
                          "root absent (theirs): dropped in step 4: the pack did not bring it",
                          "root c3 (ours): dropped in step 5: we had it, and the pack did not bring it again",
                          "root u1 (theirs): dropped in step 6: no ref needs it",
                          "root c4 (ours): dropped in step 7: our refs reach it, and our history is not cut",
                          "root o2 (ours): not added: 1 ref needs it", "root n7 (theirs): not added: 1 ref needs it",
                          "root x8 (theirs): not added: 1 ref needs it", "ref good: needs no root, accepted",
                          "ref new: needs n7, refused: shallow update not allowed; run with --update-shallow, or "
                          "deepen the other side by 1",
                          "ref mixed: needs o2, x8, refused: shallow update not allowed; run with --update-shallow, or "
                          "deepen the other side"));
}

TEST(Explain, WithUpdateShallowTellsWhatIsAdded) {
  const Explanation explanation = explained(NewRoots::add);
  const std::vector<std::string> lines = readable(explanation);
  EXPECT_THAT(lines, ::testing::Contains("root x8 (theirs): added: 1 ref needs it"));
  EXPECT_THAT(lines, ::testing::Contains("ref mixed: needs o2, x8, accepted"));
  for (const RefStory& ref : explanation.refs) EXPECT_EQ(ref.deepen_by, std::nullopt);
}

TEST(Explain, OnCloneTellsWhatThePackBrought) {
  EXPECT_THAT(readable(explained(NewRoots::clone)),
              ::testing::Contains("root x8 (theirs): added: the pack brought it"));
}

TEST(Explain, NamesTheFirstSixteenRootsOfARef) {
  FakeGraph graph;
  std::vector<Oid> roots;
  for (int i = 10; i < 30; ++i) roots.push_back(named("r" + std::to_string(i)));
  for (const Oid& root : roots) graph.add(root, {named("gone")});
  graph.add(named("m"), roots);
  FakeReachability reachability(graph);
  const ShallowFile own;
  const std::vector<RefUpdate> updates = {{"all", named("m")}};
  const AskObject nothing = one_of(""), everything = [](const Oid&) { return true; };
  const ReconcileContext context{own, nothing, everything, {}, graph, reachability};
  const Explanation explanation = explain(reconcile({roots, updates, NewRoots::refuse}, context), updates, context);
  EXPECT_EQ(explanation.refs[0].roots.size(), 16u);
  EXPECT_EQ(explanation.refs[0].root_count, 20u);
  EXPECT_THAT(explanation_lines(explanation).back(), ::testing::HasSubstr(" and 4 more, refused"));
}

std::optional<int> levels(std::string_view history, std::string_view tips, const char* root) {
  FakeGraph graph(history);
  FakeReachability reachability(graph);
  return levels_to_deepen(graph, reachability, ids(tips), named(root));
}

TEST(LevelsToDeepen, CountsDownToWhatCurrentRefsReach) {
  EXPECT_EQ(levels("r: a; a: b; b: c; c: d; d", "c", "r"), 3);
  EXPECT_EQ(levels("r: c; c: d; d", "c", "r"), 1);
}

TEST(LevelsToDeepen, CountsTheLongestOfTheWays) {
  EXPECT_EQ(levels("r: a c; a: b; b: c; c: d; d", "c", "r"), 3);
}

TEST(LevelsToDeepen, CountsToTheEndOfAHistoryThatIsNotOurs) {
  EXPECT_EQ(levels("r: a; a: b; b; c", "c", "r"), 3);
  EXPECT_EQ(levels("r; c", "c", "r"), 1);
}

TEST(LevelsToDeepen, SaysNothingWhereHistoryIsNotHere) {
  EXPECT_EQ(levels("r: a; a: gone; c", "c", "r"), std::nullopt);
  EXPECT_EQ(levels("c", "c", "r"), std::nullopt);
}

TEST(LevelsToDeepen, GivesUpAfterAThousandCommits) {
  std::string history = "r: n0; end";
  for (int i = 0; i < 1200; ++i) history += "; n" + std::to_string(i) + ": n" + std::to_string(i + 1);
  history += "; n1200";
  EXPECT_EQ(levels(history, "n900", "r"), 901);
  EXPECT_EQ(levels(history, "end", "r"), std::nullopt);
}

}  // namespace
}  // namespace pfetch::shallow
