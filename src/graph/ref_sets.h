// Sets of small numbers (refs), most of them equal to one another, held by count. For graph/paint.
//
// A handle is a plain number. Every function that takes a handle takes over one hold on it, and every one that gives a
// handle gives one hold, unless it says otherwise. One thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "graph/roaring.h"

namespace pfetch::graph {

class RefSets {
 public:
  using Handle = std::uint32_t;
  static constexpr Handle empty = std::numeric_limits<Handle>::max();
  static constexpr std::uint32_t members_max = 0x80000000;  // a member is below this

  // The set of one member. It is the number itself and takes no memory.
  static Handle single(std::uint32_t member) { return member; }
  // One more hold on `set`, which stays held.
  Handle share(Handle set);
  void release(Handle set);
  // The union. Nothing is copied when one contains the other, or when nobody else holds one of them.
  Handle unite(Handle a, Handle b);
  Roaring take(Handle set);
  // How many sets take memory.
  std::size_t live() const { return pool_.size() - free_.size(); }

 private:
  struct Pooled {
    Roaring members;
    std::uint32_t holds = 0;
  };
  static bool is_pooled(Handle set) { return set != empty && (set & members_max) != 0; }
  Pooled& at(Handle set) { return pool_[set & ~members_max]; }
  Handle make(Roaring members);
  Handle with_member(Handle set, std::uint32_t member);

  std::vector<Pooled> pool_;
  std::vector<std::uint32_t> free_;  // places in pool_
};

}  // namespace pfetch::graph
