// Proposes every commit behind the tips, newest first, leaving out what lies behind a common one. This is Git's
// "consecutive" negotiator.
#pragma once

#include "transport/negotiator_walk.h"

namespace pfetch::transport {

class ConsecutiveNegotiator final : public NegotiatorWalk {
 public:
  using NegotiatorWalk::NegotiatorWalk;

 private:
  void hand_down(Position, Position) override {}
  bool is_due(Position, bool) override { return true; }
};

}  // namespace pfetch::transport
