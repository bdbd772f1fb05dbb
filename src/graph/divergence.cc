#include "graph/divergence.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "graph/ancestry.h"
#include "graph/two_sides.h"

namespace pfetch::graph {

namespace {

constexpr unsigned left = TwoSides::left;
constexpr unsigned right = TwoSides::right;
constexpr unsigned both = TwoSides::both;

void walk(TwoSides& sides) {
  while (sides.may_change()) sides.pass_next();
}

}  // namespace

Divergence diverged(CommitGraph& graph, Position ours, Position theirs) {
  if (ours == theirs) return {};
  TwoSides sides(graph, both);
  sides.paint(ours, left);
  sides.paint(theirs, right);
  walk(sides);
  return {sides.with(left).size(), sides.with(right).size()};
}

std::vector<Position> only_reached_by(CommitGraph& graph, Position tip, std::span<const Position> others) {
  if (std::find(others.begin(), others.end(), tip) != others.end()) return {};
  TwoSides sides(graph, left);
  sides.paint(tip, left);
  for (const Position other : others) sides.paint(other, right);
  walk(sides);
  std::vector<Position> found = sides.with(left);

  // Newest first, a child before its parents: as a walk from the tip would meet them.
  const std::unordered_set<Position> alone(found.begin(), found.end());
  std::vector<Position> ordered;
  std::unordered_set<Position> met = {tip};
  using Entry = std::pair<std::int64_t, std::int64_t>;  // date, and how early it was met, negated
  std::priority_queue<std::pair<Entry, Position>> queue;
  std::int64_t turn = 0;
  if (alone.contains(tip)) queue.push({{graph.date(tip), turn}, tip});
  while (!queue.empty()) {
    const Position commit = queue.top().second;
    queue.pop();
    ordered.push_back(commit);
    const auto parents = graph.parents(commit);
    const std::vector<Position> below(parents.begin(), parents.end());
    for (const Position parent : below) {
      if (alone.contains(parent) && met.insert(parent).second) queue.push({{graph.date(parent), --turn}, parent});
    }
  }
  return ordered;
}

std::vector<Position> merge_bases(CommitGraph& graph, Position one, Position other) {
  if (one == other) return {one};
  TwoSides sides(graph, both);
  sides.paint(one, left);
  sides.paint(other, right);
  walk(sides);
  const std::vector<Position> common = sides.with(both);
  std::unordered_set<Position> below;
  for (const Position commit : common) {
    const auto parents = graph.parents(commit);
    below.insert(parents.begin(), parents.end());
  }
  std::vector<Position> bases;
  for (const Position commit : common) {
    if (!below.contains(commit)) bases.push_back(commit);
  }
  const std::vector<Position> candidates = bases;
  std::erase_if(bases, [&](Position base) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](Position candidate) { return candidate != base && is_ancestor(graph, base, candidate); });
  });
  return bases;
}

}  // namespace pfetch::graph
