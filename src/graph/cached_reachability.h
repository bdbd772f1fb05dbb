// Reachability in a repository whose history is altered (a shallow file, grafts, replace refs): a walk whose result is
// kept, and taken up again from the tips that have changed.
#pragma once

#include <string>
#include <vector>

#include "graph/commit_graph.h"
#include "graph/reachability.h"
#include "graph/reachability_cache.h"
#include "object/object_source.h"

namespace pfetch::graph {

class CachedReachability final : public Reachability {
 public:
  struct Options {
    std::string path;          // of the cache, see graph/reachability_cache
    std::uint64_t key = 0;     // the same
    std::size_t least = 5000;  // a walk of fewer commits is not worth keeping
  };
  // Graph and objects are borrowed. Throws what they throw, and nothing because of the cache.
  CachedReachability(CommitGraph& graph, object::ObjectSource& objects, Options options)
      : graph_(graph), objects_(objects), options_(std::move(options)) {}

  // What the cache has is used when its tops are still reached from `tips`; then history is walked only from tips that
  // are not in the cache, down to commits that are. A walk that went through everything is kept.
  std::vector<bool> reached(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) override;

 private:
  bool holds(const ReachabilityCache& cache, const std::vector<object::Oid>& tip_commits);
  void keep(const std::optional<ReachabilityCache>& cache, const std::vector<object::Oid>& tip_commits,
            const std::vector<Position>& met);

  CommitGraph& graph_;
  object::ObjectSource& objects_;
  const Options options_;
};

}  // namespace pfetch::graph
