// What only one side reaches, and where both meet, as a plain walk over everything finds it.
#include "graph/divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/graph/numbered_graph.h"
#include "tests/graph/random_history.h"

namespace pfetch::graph {
namespace {

std::set<Position> reached(const NumberedGraph& graph, std::vector<Position> pending) {
  std::set<Position> met;
  while (!pending.empty()) {
    const Position at = pending.back();
    pending.pop_back();
    if (!met.insert(at).second) continue;
    pending.insert(pending.end(), graph.parents_of[at].begin(), graph.parents_of[at].end());
  }
  return met;
}

std::set<Position> minus(const std::set<Position>& from, const std::set<Position>& what) {
  std::set<Position> left;
  std::set_difference(from.begin(), from.end(), what.begin(), what.end(), std::inserter(left, left.end()));
  return left;
}

// Parents have lower numbers; each commit is younger than its parents, by luck as old as them.
NumberedGraph random_graph(std::mt19937& random, std::size_t commits) {
  NumberedGraph graph;
  for (Position i = 0; i < commits; ++i) {
    std::vector<Position> parents;
    for (unsigned n = random() % 3; n > 0 && i > 0; --n) parents.push_back(static_cast<Position>(random() % i));
    std::int64_t date = 0;
    for (const Position parent : parents) date = std::max(date, graph.dates[parent]);
    graph.add(std::move(parents), date + static_cast<std::int64_t>(random() % 3));
  }
  return graph;
}

std::set<Position> bases_by_plain_walk(const NumberedGraph& graph, Position one, Position other) {
  const std::set<Position> below_one = reached(graph, {one});
  const std::set<Position> below_other = reached(graph, {other});
  std::set<Position> common;
  std::set_intersection(below_one.begin(), below_one.end(), below_other.begin(), below_other.end(),
                        std::inserter(common, common.end()));
  std::set<Position> bases = common;
  for (const Position commit : common) {
    for (const Position below : reached(graph, graph.parents_of[commit])) bases.erase(below);
  }
  return bases;
}

TEST(Divergence, IsThatOfAPlainWalk) {
  for (unsigned seed = 0; seed < seed_count(100); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    std::mt19937 random(seed);
    NumberedGraph graph = random_graph(random, 40);
    for (int pair = 0; pair < 20; ++pair) {
      const auto one = static_cast<Position>(random() % 40);
      const auto other = static_cast<Position>(random() % 40);
      const auto third = static_cast<Position>(random() % 40);
      const Divergence divergence = diverged(graph, one, other);
      EXPECT_EQ(divergence.ahead, minus(reached(graph, {one}), reached(graph, {other})).size());
      EXPECT_EQ(divergence.behind, minus(reached(graph, {other}), reached(graph, {one})).size());
      const std::vector<Position> others = {other, third};
      const std::vector<Position> only = only_reached_by(graph, one, others);
      EXPECT_EQ(std::set<Position>(only.begin(), only.end()), minus(reached(graph, {one}), reached(graph, others)));
      const std::vector<Position> bases = merge_bases(graph, one, other);
      EXPECT_EQ(std::set<Position>(bases.begin(), bases.end()), bases_by_plain_walk(graph, one, other));
    }
  }
}

TEST(Divergence, TellsTheNewestCommitFirst) {
  NumberedGraph graph;
  const Position root = graph.add({}, 1);
  const Position one = graph.add({root}, 2);
  const Position two = graph.add({root}, 4);
  const Position merge = graph.add({one, two}, 5);
  EXPECT_EQ(only_reached_by(graph, merge, std::vector{root}), (std::vector{merge, two, one}));
}

TEST(Divergence, DoesNotWalkWhatBothHaveHadForLong) {
  NumberedGraph graph;
  Position tip = graph.add({}, 0);
  for (int i = 1; i < 1000; ++i) tip = graph.add({tip}, i);
  const Position ours = graph.add({tip}, 1001);
  const Position theirs = graph.add({tip}, 1002);
  const Divergence divergence = diverged(graph, ours, theirs);
  EXPECT_EQ(divergence.ahead, 1U);
  EXPECT_EQ(divergence.behind, 1U);
  EXPECT_LT(graph.commits_walked(), 10U);
}

}  // namespace
}  // namespace pfetch::graph
