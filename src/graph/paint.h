// Step 6 of the eight: which tips need which commits, for all tips in one pass over history.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "graph/commit_graph.h"
#include "graph/roaring.h"

namespace pfetch::graph {

// For each of `marks`, the numbers (indexes into `tips`) of the tips from which it is reached; a tip reaches itself.
//
// History is followed from the tips downwards. It ends at a mark, since that is where the other side's history is cut,
// and before every commit for which `stop` answers true: that one is not entered, be it a tip or a mark. `stop` is asked
// at most once for each commit that is met, and may ask the graph. Tips without a position reach nothing. Where
// generations are known, no commit is walked from which no mark can be reached. Nothing is walked when there are no
// marks.
//
// However many tips there are, each commit's parents are followed twice: to count children, then to hand sets of tips
// from children to parents. Equal sets are shared, a set of one tip takes no memory, and a set goes when the last child
// has handed it on. Throws what the graph throws.
std::vector<Roaring> paint(CommitGraph& graph, std::span<const std::optional<Position>> tips,
                           std::span<const Position> marks, const std::function<bool(Position)>& stop = {});

}  // namespace pfetch::graph
