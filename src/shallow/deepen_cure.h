// By how much the other side's history would have to be longer for a root of it to be no trouble.
#pragma once

#include <optional>
#include <span>

#include "graph/commit_graph.h"
#include "graph/reachability.h"

namespace pfetch::shallow {

// The number of levels below `root` after which every line of history meets what `current_tips` reach, or ends. Were
// the sender's history longer by so much, its root would be ours and dropped in step 5 or 7. nullopt: the history
// between is not here, or has more than 1,000 commits, so nobody can say. `graph` is that of reconcile. One thread.
std::optional<int> levels_to_deepen(graph::CommitGraph& graph, graph::Reachability& reachability,
                                    std::span<const object::Oid> current_tips, const object::Oid& root);

}  // namespace pfetch::shallow
