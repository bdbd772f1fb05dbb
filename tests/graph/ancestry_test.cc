// Ancestors are found, and nothing below the place where two histories have joined is walked.
#include "graph/ancestry.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/graph/numbered_graph.h"
#include "tests/graph/random_history.h"

namespace pfetch::graph {
namespace {

bool by_plain_walk(const NumberedGraph& graph, Position ancestor, Position descendant) {
  std::vector<Position> pending = {descendant};
  std::set<Position> met;
  while (!pending.empty()) {
    const Position at = pending.back();
    pending.pop_back();
    if (at == ancestor) return true;
    if (!met.insert(at).second) continue;
    pending.insert(pending.end(), graph.parents_of[at].begin(), graph.parents_of[at].end());
  }
  return false;
}

TEST(Ancestry, IsThatOfAPlainWalkWhateverTheClocksSay) {
  for (unsigned seed = 0; seed < seed_count(50); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    std::mt19937 random(seed);
    NumberedGraph graph;
    for (Position i = 0; i < 40; ++i) {
      std::vector<Position> parents;
      for (unsigned n = random() % 4; n > 0 && i > 0; --n) parents.push_back(static_cast<Position>(random() % i));
      graph.add(parents, random() % 5 == 0 ? random() % 100 : i);
    }
    for (int n = 0; n < 40; ++n) {
      const auto a = static_cast<Position>(random() % 40);
      const auto b = static_cast<Position>(random() % 40);
      ASSERT_EQ(is_ancestor(graph, a, b), by_plain_walk(graph, a, b)) << a << " " << b;
    }
  }
}

// A long line, and two branches of three commits from its end.
TEST(Ancestry, WalksNothingBelowTheForkOfTwoBranches) {
  NumberedGraph graph;
  Position fork = graph.add({}, 0);
  for (int i = 1; i < 1000; ++i) fork = graph.add({fork}, i);
  Position ours = fork;
  Position theirs = fork;
  for (int i = 0; i < 3; ++i) {
    ours = graph.add({ours}, 1000 + i);
    theirs = graph.add({theirs}, 1000 + i);
  }
  EXPECT_FALSE(is_ancestor(graph, ours, theirs));
  EXPECT_LE(graph.commits_walked(), 7U);
}

TEST(Ancestry, WalksOneCommitForAnUpdateByOne) {
  NumberedGraph graph;
  const Position old_tip = graph.add({}, 0);
  const Position tip = graph.add({old_tip}, 1);
  EXPECT_TRUE(is_ancestor(graph, old_tip, tip));
  EXPECT_EQ(graph.commits_walked(), 1U);
}

}  // namespace
}  // namespace pfetch::graph
