#include "transport/negotiator_skipping.h"

namespace pfetch::transport {

SkippingNegotiator::Distance& SkippingNegotiator::distance(Position commit) {
  if (commit >= distances_.size()) distances_.resize(std::size_t{commit} + 1);
  return distances_[commit];
}

// Of several ways to a commit the one with the largest distance counts.
void SkippingNegotiator::hand_down(Position commit, Position parent) {
  const Distance from = distance(commit);
  Distance below = {from.whole, from.left - 1};
  if (from.left == 0) below.whole = below.left = from.whole + from.whole / 2 + 1;
  if (distance(parent).whole < below.whole) distance(parent) = below;
}

// Where the way ends a proposal is due at once: nothing further behind could be proposed in its place.
bool SkippingNegotiator::is_due(Position commit, bool ends) {
  return ends || distance(commit).left == 0;
}

}  // namespace pfetch::transport
