// Which of the commits that were asked for are not known yet to be reached. What every Reachability keeps.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "object/oid.h"

namespace pfetch::graph {

class WantedSet {
 public:
  // Those of `wanted` that are among `tips` are reached. An id may be named more than once.
  WantedSet(std::span<const object::Oid> tips, std::span<const object::Oid> wanted);

  bool done() const { return open_count_ == 0; }
  // Each once, in no order.
  std::vector<object::Oid> open() const;
  // Either does nothing when the id is not open.
  void mark_reached(const object::Oid& id) { close(id, State::reached); }
  void give_up(const object::Oid& id) { close(id, State::given_up); }

  // For each of `wanted`, as it was given to the constructor. What is open counts as not reached.
  std::vector<bool> answers(std::span<const object::Oid> wanted) const;

 private:
  enum class State { open, reached, given_up };
  void close(const object::Oid& id, State state);

  std::unordered_map<object::Oid, State> states_;
  std::size_t open_count_ = 0;
};

}  // namespace pfetch::graph
