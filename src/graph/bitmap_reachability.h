// Reachability from stored bitmaps: what they say of the tips is united, and only from tips that have none, and are in
// no other's, is history walked, down to commits that have one or are in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/bitmap_file.h"
#include "graph/commit_graph.h"
#include "graph/reachability.h"
#include "object/object_source.h"

namespace pfetch::graph {

class BitmapReachability final : public Reachability {
 public:
  // All are borrowed; `objects` is where tags are read. Damage in the bitmaps that shows only now adds a sentence to
  // `warnings`, and from then on all is walked. Throws what the graph and the objects throw.
  BitmapReachability(BitmapFile& bitmaps, CommitGraph& graph, object::ObjectSource& objects,
                     std::vector<std::string>& warnings)
      : bitmaps_(bitmaps), graph_(graph), objects_(objects), warnings_(warnings) {}

  std::vector<bool> reached(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) override;

 private:
  std::vector<bool> by_bitmaps(std::span<const object::Oid> tips, std::span<const object::Oid> wanted);

  BitmapFile& bitmaps_;
  CommitGraph& graph_;
  object::ObjectSource& objects_;
  std::vector<std::string>& warnings_;
  bool damaged_ = false;
};

}  // namespace pfetch::graph
