// The eight steps, 6: which of the refs' new tips need which of the sender's roots.
//
// One pass over the commits between the new tips on one side and the current tips and the roots on the other, however
// many refs there are (graph/paint). One thread, as the graph wants it. Throws what the graph throws.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/commit_graph.h"
#include "graph/roaring.h"
#include "shallow/partition.h"

namespace pfetch::shallow {

struct NeededRoot {
  object::Oid id;
  Side side;
  graph::Roaring refs;  // the numbers of the new tips that reach it, at least one
};

struct Assignment {
  Candidates candidates;
  std::vector<NeededRoot> needed;  // one for each candidate that is left: ours, then theirs
};

// Drops the candidates that no new tip needs. `new_tips` are commits (a tag's, peeled); nullopt needs nothing. `graph`
// has what was here and what came, cut at our own roots.
//
// The walk ends at the candidates, since the sender's history does, and at `current_tips`, since nothing that step 7
// would leave can be behind them: of *theirs* none is, as the history of a current ref was complete before the pack
// came, and whatever of *ours* is there is reached by a current ref. `passed` are roots of ours that step 7 has dropped
// already; the walk ends at them for the same reason.
Assignment assign(Candidates candidates, graph::CommitGraph& graph,
                  std::span<const std::optional<object::Oid>> new_tips, std::span<const object::Oid> current_tips,
                  std::span<const object::Oid> passed = {});

}  // namespace pfetch::shallow
