#include "shallow/assign.h"

#include <unordered_set>

#include "graph/paint.h"

namespace pfetch::shallow {

using graph::CommitGraph;
using graph::Position;
using object::Oid;

namespace {

using Positions = std::unordered_set<Position>;

void add_positions(CommitGraph& graph, std::span<const Oid> ids, Positions& positions) {
  for (const Oid& id : ids) {
    if (const auto position = graph.find(id)) positions.insert(*position);
  }
}

}  // namespace

Assignment assign(Candidates candidates, CommitGraph& graph, std::span<const std::optional<Oid>> new_tips,
                  std::span<const Oid> current_tips, std::span<const Oid> passed) {
  std::vector<NeededRoot> roots;  // those that are commits, in the order of their marks
  std::vector<Position> marks;
  const auto mark = [&](std::span<const Oid> ids, Side side) {
    for (const Oid& id : ids) {
      const auto position = graph.find(id);
      if (!position) continue;
      roots.push_back({id, side, {}});
      marks.push_back(*position);
    }
  };
  mark(candidates.ours, Side::ours);
  mark(candidates.theirs, Side::theirs);

  Positions stops;
  add_positions(graph, current_tips, stops);
  add_positions(graph, passed, stops);
  std::vector<std::optional<Position>> tips;
  tips.reserve(new_tips.size());
  for (const std::optional<Oid>& tip : new_tips) tips.push_back(tip ? graph.find(*tip) : std::nullopt);

  std::vector<graph::Roaring> painted =
      graph::paint(graph, tips, marks, [&](Position position) { return stops.contains(position); });
  Assignment assignment{std::move(candidates), {}};
  std::unordered_set<Oid> needed;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (painted[i].isEmpty()) continue;
    needed.insert(roots[i].id);
    roots[i].refs = std::move(painted[i]);
    assignment.needed.push_back(std::move(roots[i]));
  }
  for (const Side side : {Side::ours, Side::theirs}) {
    assignment.candidates.drop_if(side, 6, [&](const Oid& id) { return !needed.contains(id); });
  }
  return assignment;
}

}  // namespace pfetch::shallow
