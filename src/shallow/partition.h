// The eight steps, 1 and 2: what the sender's roots are to us. (docs/shallow-reconciliation.md has all eight.)
//
// Pure functions over data; any thread. They look at the repository as it was *before* the pack came.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "object/oid.h"
#include "shallow/shallow_file.h"

namespace pfetch::shallow {

enum class Side : std::uint8_t {
  ours,    // we had the commit before the pack came
  theirs,  // we had not
};

struct DroppedRoot {
  object::Oid id;
  Side side;
  int step;  // 2, 4, 5, 6 or 7
};

using AskObject = std::function<bool(const object::Oid&)>;

// The sender's roots that are still in question, each list ascending and without repetitions, and those that are not.
struct Candidates {
  std::vector<object::Oid> ours;
  std::vector<object::Oid> theirs;
  std::vector<DroppedRoot> dropped;  // in the order of the steps that were taken

  bool empty() const { return ours.empty() && theirs.empty(); }
  // Moves those of one side for which `lost` is true to `dropped`.
  void drop_if(Side side, int step, const AskObject& lost);
};

// Step 1: a root that `had` knows is ours, every other theirs. `sender` may be in any order and have repetitions.
Candidates split(std::span<const object::Oid> sender, const AskObject& had);

// Step 2: drops from ours what our own boundary lists already.
Candidates drop_listed(Candidates candidates, const ShallowFile& own);

}  // namespace pfetch::shallow
