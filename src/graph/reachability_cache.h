// The commits that were once found to be reached from some refs, in a file of pfetch's own. For repositories in which
// neither commit-graph nor bitmaps may be used.
//
// The file, all big-endian: "PFRC", version (4 bytes), key (8), number of tops (4), number of commits (4), the ids of
// the tops, the ids of the commits in order, and XXH64 of all before (8). It may be deleted at any time, and one that
// is damaged, or has another key or version, counts as absent. Immutable once opened, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "object/oid.h"

namespace pfetch::graph {

// One key for all of these together, in their order.
std::uint64_t reachability_key(std::span<const std::string> parts);

class ReachabilityCache {
 public:
  // `key` stands for all that changes what a commit reaches: shallow file, grafts, replace refs. Never throws.
  static std::optional<ReachabilityCache> open(const std::string& path, std::uint64_t key);

  // Replaces the file under its lock, making its directory where needed. `commits` is what `tops` reach, all of it, in
  // order. What fails (another process is at it, nothing may be written) leaves the file as it was; false then.
  static bool save(const std::string& path, std::uint64_t key, const std::vector<object::Oid>& tops,
                   const std::vector<object::Oid>& commits);

  // Commits from which all others are reached, and none of which another reaches.
  std::vector<object::Oid> tops() const;
  std::vector<object::Oid> commits() const;
  bool has(const object::Oid& commit) const;

 private:
  std::vector<object::Oid> ids(std::size_t offset, std::size_t count) const;

  base::MappedFile file_;
  std::size_t top_count_ = 0;
  std::size_t commit_count_ = 0;
};

}  // namespace pfetch::graph
