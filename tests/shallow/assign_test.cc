#include "shallow/assign.h"

#include <gtest/gtest.h>

#include "tests/support/fake_graph.h"

namespace pfetch::shallow {
namespace {

using object::Oid;
using test::FakeGraph;
using test::ids;
using test::named;
using test::names;

std::vector<std::optional<Oid>> tips(std::string_view list) {
  std::vector<std::optional<Oid>> made;
  for (const Oid& id : ids(list)) made.push_back(id == named("-") ? std::nullopt : std::optional(id));
  return made;
}

Candidates candidates(std::string_view ours, std::string_view theirs) {
  Candidates made;
  made.ours = ids(ours);
  made.theirs = ids(theirs);
  return made;
}

// "c4: 0 2; b1: 1": each root and the numbers of the refs that need it.
std::string told(const Assignment& assignment) {
  std::string text;
  for (const NeededRoot& root : assignment.needed) {
    text += (text.empty() ? "" : "; ") + test::name_of(root.id) + ":";
    for (const std::uint32_t ref : root.refs) text += " " + std::to_string(ref);
  }
  return text;
}

TEST(Assign, TellsWhichRefNeedsWhichRoot) {
  FakeGraph graph("m: c6 b2; c6: c5; c5: gone; b2: b1; b1: gone; x");
  const Assignment assignment = assign(candidates("", "b1 c5"), graph, tips("m c6 x b1 -"), {});
  EXPECT_EQ(told(assignment), "b1: 0 3; c5: 0 1");
  EXPECT_EQ(names(assignment.candidates.theirs), "b1 c5");
}

TEST(Assign, DropsWhatNoRefNeeds) {
  FakeGraph graph("c6: c5; c5: gone; b1: gone; o1: o0; o0");
  const Assignment assignment = assign(candidates("o1", "b1 c5"), graph, tips("c6"), {});
  EXPECT_EQ(told(assignment), "c5: 0");
  EXPECT_EQ(names(assignment.candidates.theirs), "c5");
  EXPECT_EQ(names(assignment.candidates.ours), "");
  ASSERT_EQ(assignment.candidates.dropped.size(), 2u);
  EXPECT_EQ(assignment.candidates.dropped[0].id, named("o1"));
  EXPECT_EQ(assignment.candidates.dropped[1].id, named("b1"));
  EXPECT_EQ(assignment.candidates.dropped[1].side, Side::theirs);
  EXPECT_EQ(assignment.candidates.dropped[1].step, 6);
}

// Behind a root the sender's history does not go on, so a root that lies there is not needed by that way.
TEST(Assign, DoesNotLookBehindARoot) {
  FakeGraph graph("c6: c5; c5: c4; c4: c3; c3");
  const Assignment assignment = assign(candidates("c3 c5", ""), graph, tips("c6"), {});
  EXPECT_EQ(told(assignment), "c5: 0");
}

TEST(Assign, EndsAtCurrentTipsAndAtWhatStepSevenDropped) {
  FakeGraph graph("n2: n1; n1: c6 d3; c6: c5; c5: c4; c4; d3: d2; d2: d1; d1");
  const Assignment assignment = assign(candidates("c4 d1", ""), graph, tips("n2"), ids("c6"), ids("d2"));
  EXPECT_EQ(told(assignment), "");
  EXPECT_EQ(graph.commits_walked(), 3u);  // n2, n1, d3
}

TEST(Assign, AnIdThatIsNoCommitIsNeededByNothing) {
  FakeGraph graph("c6: c5; c5");
  EXPECT_TRUE(assign(candidates("blob", ""), graph, tips("c6 blob"), {}).candidates.empty());
  EXPECT_EQ(graph.commits_walked(), 0u);
}

}  // namespace
}  // namespace pfetch::shallow
