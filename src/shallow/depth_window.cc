#include "shallow/depth_window.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"

namespace pfetch::shallow {

using graph::CommitGraph;
using graph::Position;
using object::Oid;

namespace {

using Positions = std::unordered_set<Position>;

// One level after the other, so that each commit is met at its lowest level.
class WindowWalk {
 public:
  WindowWalk(CommitGraph& graph, const ShallowFile& own) : graph_(graph), own_(own) {}

  void start(std::span<const Oid> tips) {
    for (const Oid& tip : tips) {
      const auto position = graph_.find(tip);
      if (position) {
        meet(*position);
      } else {
        window_.exact = false;
      }
    }
  }

  // Takes the commits of the present level, which is above level N, and meets those of the next.
  void descend() {
    std::vector<Position> level;
    level.swap(next_);
    for (const Position position : level) {
      if (own_.has(graph_.id_at(position))) {
        window_.exact = false;
      } else {
        window_.inside.push_back(position);
        meet_parents(position);
      }
    }
  }

  bool at_end() const { return next_.empty(); }

  // The present level is level N.
  DepthWindow finish() && {
    const auto listed = [&](Position position) { return own_.has(graph_.id_at(position)); };
    if (!std::all_of(next_.begin(), next_.end(), listed)) window_.exact = false;
    return std::move(window_);
  }

 private:
  void meet(Position position) {
    if (met_.insert(position).second) next_.push_back(position);
  }

  void meet_parents(Position position) {
    try {
      for (const Position parent : graph_.parents(position)) meet(parent);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::corrupt) throw;
      window_.exact = false;
    }
  }

  CommitGraph& graph_;
  const ShallowFile& own_;
  DepthWindow window_;
  Positions met_;
  std::vector<Position> next_;
};

// The lines that would cut something wherever they are reached.
Positions cutting(CommitGraph& graph, const ShallowFile& own, std::span<const Oid> lines) {
  Positions positions;
  for (const Oid& line : lines) {
    if (own.has(line)) continue;
    const auto position = graph.find(line);
    if (position && !graph.parents(*position).empty()) positions.insert(*position);
  }
  return positions;
}

}  // namespace

DepthWindow depth_window(CommitGraph& graph, const ShallowFile& own, std::span<const Oid> tips, int depth) {
  WindowWalk walk(graph, own);
  walk.start(tips);
  for (int level = 1; level < depth && !walk.at_end(); ++level) walk.descend();
  return std::move(walk).finish();
}

std::vector<std::size_t> falls_inside(CommitGraph& graph, const ShallowFile& own, std::span<const Oid> kept_tips,
                                      int depth, std::span<const Oid> lines) {
  std::vector<std::size_t> cut_tips;
  const Positions cuts = cutting(graph, own, lines);
  if (cuts.empty()) return cut_tips;
  const auto is_cut = [&](Position position) { return cuts.contains(position); };
  for (std::size_t i = 0; i < kept_tips.size(); ++i) {
    const DepthWindow window = depth_window(graph, own, {&kept_tips[i], 1}, depth);
    if (std::any_of(window.inside.begin(), window.inside.end(), is_cut)) cut_tips.push_back(i);
  }
  return cut_tips;
}

}  // namespace pfetch::shallow
