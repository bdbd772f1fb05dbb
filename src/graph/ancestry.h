// Whether one commit is an ancestor of another: what makes an update of a ref a fast-forward.
#pragma once

#include "graph/commit_graph.h"

namespace pfetch::graph {

// History is walked from both, newest first, until nothing is left that only `descendant` reaches: what `ancestor`
// reaches too cannot lead back to it. So the walk ends where the two histories have joined, and clocks that are wrong
// make it longer, never its answer wrong. A commit is its own ancestor. Throws what the graph throws.
bool is_ancestor(CommitGraph& graph, Position ancestor, Position descendant);

}  // namespace pfetch::graph
