// The commits that a depth request stands for, as they are here: a repeated depth fetch costs nothing.
//
// Levels count as git-upload-pack's do for one request: a tip is level 1, every other commit is one more than the
// lowest of its children, over all tips of the request together. At level N history is cut: each commit there is
// listed as a root, even one without parents. One that ends by itself above level N is not listed.
//
// One thread. Asks the graph for the parents of commits above level N alone; for N = 1 of none.
#pragma once

#include <span>
#include <vector>

#include "graph/commit_graph.h"
#include "shallow/shallow_file.h"

namespace pfetch::shallow {

struct DepthWindow {
  // The same request would change nothing: each commit above level N is here and not listed, each at level N is listed.
  // False too where commits are missing or damaged, which asking may heal.
  bool exact = true;
  // The commits above level N that are not listed, in no order: listing one would cut what the tips reach.
  std::vector<graph::Position> inside;
};

// `tips` are commits, `depth` is N, at least 1; `graph` is cut at `own`.
DepthWindow depth_window(graph::CommitGraph& graph, const ShallowFile& own, std::span<const object::Oid> tips,
                         int depth);

// Which of `kept_tips`, each with a window of its own, would lose commits if a server's `shallow` lines were listed:
// their numbers, ascending. A line for a commit that has no parents, is listed already or is not here, cuts nothing;
// when every line is such a one, only the lines are walked.
std::vector<std::size_t> falls_inside(graph::CommitGraph& graph, const ShallowFile& own,
                                      std::span<const object::Oid> kept_tips, int depth,
                                      std::span<const object::Oid> lines);

}  // namespace pfetch::shallow
