// A seam: which commits a set of tips reaches. Implemented by a walk over a CommitGraph and by bitmaps; fakes in tests.
#pragma once

#include <span>
#include <vector>

#include "object/oid.h"

namespace pfetch::graph {

class Reachability {
 public:
  virtual ~Reachability() = default;
  // For each of `wanted`, whether one of `tips` reaches it (a commit reaches itself). Tips may be tags, which stand for
  // their target, or objects that are no commits, which reach nothing; ids that are not here are reached by nothing but
  // themselves. Nothing is walked when every one of `wanted` is among `tips`, or there is none.
  virtual std::vector<bool> reached(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) = 0;
};

}  // namespace pfetch::graph
