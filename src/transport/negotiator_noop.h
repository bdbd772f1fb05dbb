// Proposes nothing: the other side sends as if we had nothing. This is Git's "noop" negotiator.
#pragma once

#include "transport/negotiator.h"

namespace pfetch::transport {

class NoopNegotiator final : public Negotiator {
 public:
  std::optional<Oid> next() override { return std::nullopt; }
  void ack(const Oid&) override {}
  void restart() override {}
};

}  // namespace pfetch::transport
