// Reachability by walking down from the tips. Costs what the graph costs; with generations it ends early.
#pragma once

#include "graph/commit_graph.h"
#include "graph/reachability.h"
#include "object/object_source.h"

namespace pfetch::graph {

class WalkReachability final : public Reachability {
 public:
  // `objects` is where tags are read; both are borrowed. Throws what they throw.
  WalkReachability(CommitGraph& graph, object::ObjectSource& objects) : graph_(graph), objects_(objects) {}

  std::vector<bool> reached(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) override;

 private:
  CommitGraph& graph_;
  object::ObjectSource& objects_;
};

}  // namespace pfetch::graph
