// Commits as a negotiation reads them: one after the other, each once, and never one that it did not ask for.
//
// A position stands for one id, from 0 in the order of first mention. About 60 bytes for each id that was mentioned.
// One thread at a time. Throws what the ObjectSource throws.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "object/object_source.h"
#include "object/oid.h"

namespace pfetch::transport {

using object::Oid;

class NegotiatorHistory {
 public:
  using Position = std::uint32_t;

  // `source` must outlive it. The `cuts` have no parents. At most `commits_max` commits and tags are read.
  NegotiatorHistory(object::ObjectSource& source, std::span<const Oid> cuts, std::size_t commits_max);

  // Reads nothing. An id that was not mentioned before gets the next position.
  Position position_of(const Oid& id);
  std::optional<Position> find(const Oid& id) const;  // only if it was mentioned before
  std::size_t size() const { return nodes_.size(); }

  // Reads what the id names: itself if it is a commit, what a tag stands for in the end. nullopt when that is no
  // commit, is not there, or too many were read.
  std::optional<Position> commit_of(const Oid& id);
  // Reads the commit, unless it was read before; false as above. A damaged one has no parents and the date 0: it is a
  // proposal, not a verdict.
  bool read(Position commit);

  const Oid& id(Position position) const { return nodes_[position].id; }
  // Seconds since the epoch; valid once it was read.
  std::int64_t date(Position commit) const { return nodes_[commit].date; }
  // None before it was read. Valid until the next commit is read.
  std::span<const Position> parents(Position commit) const {
    return std::span(parents_).subspan(nodes_[commit].first_parent, nodes_[commit].parent_count);
  }

  std::size_t commits_read() const { return commits_read_; }

 private:
  enum class State : std::uint8_t { unread, commit, nothing };
  struct Node {
    Oid id;
    std::uint32_t parent_count = 0;
    std::size_t first_parent = 0;  // in parents_
    std::int64_t date = 0;
    State state = State::unread;
  };
  static constexpr Position empty = std::numeric_limits<Position>::max();

  std::size_t slot_of(const Oid& id) const;
  void grow();
  void take_commit(Position commit, base::Bytes bytes);

  object::ObjectSource& source_;
  const std::unordered_set<Oid> cuts_;
  const std::size_t commits_max_;
  std::size_t commits_read_ = 0;
  std::vector<Node> nodes_;
  std::vector<Position> parents_;
  std::vector<Position> slots_;  // open addressing, a power of two, at most three quarters full
};

}  // namespace pfetch::transport
