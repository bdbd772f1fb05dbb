// Proposes the tips, then commits behind them after skipping 1, then 2, 4, 7, 11 … of them: each distance is half as
// long again as the one before, plus one. A common commit is found in few rounds even in a long history; the true
// border may be anywhere in the last distance, so the pack may hold objects that are here. This is Git's "skipping"
// negotiator, but for the order where history forks: git has not read a commit's date yet when it puts it into its
// queue.
#pragma once

#include "transport/negotiator_walk.h"

namespace pfetch::transport {

class SkippingNegotiator final : public NegotiatorWalk {
 public:
  using NegotiatorWalk::NegotiatorWalk;

 private:
  struct Distance {
    std::uint32_t whole = 0;  // commits that are skipped between two proposals here
    std::uint32_t left = 0;   // of them, those still to be skipped; 0: this one is to be proposed
  };

  void hand_down(Position commit, Position parent) override;
  bool is_due(Position commit, bool ends) override;
  Distance& distance(Position commit);

  std::vector<Distance> distances_;  // by position; a walk that begins anew comes to the same ones
};

}  // namespace pfetch::transport
