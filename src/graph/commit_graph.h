// A seam: commits as small numbers, and their parents.
//
// A position stands for one commit as long as the graph lives; positions are dense, from 0, in no promised order. Where
// history is cut (a root of `.git/shallow`) a commit has no parents. One thread at a time. Implemented by
// graph/commit_table, and by fakes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "object/oid.h"

namespace pfetch::graph {

using object::Oid;

using Position = std::uint32_t;

// Of a commit whose generation is not known: it may be above any other.
inline constexpr std::uint64_t generation_unknown = std::numeric_limits<std::uint64_t>::max();

class CommitGraph {
 public:
  virtual ~CommitGraph() = default;
  // nullopt: there is no such object, or it is no commit. Throws ErrorCode::corrupt on damage.
  virtual std::optional<Position> find(const Oid& id) = 0;
  virtual const Oid& id_at(Position position) = 0;  // valid until the next call
  // Valid until the next call. Throws ErrorCode::corrupt when a parent is not here.
  virtual std::span<const Position> parents(Position position) = 0;
  // Above that of every parent, or generation_unknown.
  virtual std::uint64_t generation(Position position) = 0;
  virtual std::int64_t date(Position position) = 0;  // of the committer, seconds since the epoch
  // How many commits' parents have been asked for, each counted once.
  virtual std::size_t commits_walked() const = 0;
};

}  // namespace pfetch::graph
