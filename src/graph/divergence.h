// How two histories have parted: what only one side reaches, and where they meet.
//
// History is walked from both sides, newest first, until nothing is left that only one side is known to reach and that
// could still turn out to be common. Where a child is dated before its parent the walk goes on as far as the oldest
// commit that counts for one side alone; only clocks that are wrong by more than that can make a count too large, as
// with git. One thread at a time. Throws what the graph throws.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/commit_graph.h"

namespace pfetch::graph {

struct Divergence {
  std::size_t ahead = 0;   // commits that only `ours` reaches
  std::size_t behind = 0;  // that only `theirs` reaches
};
Divergence diverged(CommitGraph& graph, Position ours, Position theirs);

// The commits that `tip` reaches and none of `others` does, the newest first.
std::vector<Position> only_reached_by(CommitGraph& graph, Position tip, std::span<const Position> others);

// The common ancestors of both that are not ancestors of one another.
std::vector<Position> merge_bases(CommitGraph& graph, Position one, Position other);

}  // namespace pfetch::graph
