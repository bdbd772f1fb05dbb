// A seam: objects as they are resolved from an arriving pack.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "object/oid.h"

namespace pfetch::object {

struct ResolvedObject {
  Oid id;
  Kind kind{};
  std::uint64_t size = 0;   // inflated, bytes
  base::SharedBytes bytes;  // the whole object; empty when `streamed`
  bool streamed = false;    // over core.bigFileThreshold: not in memory, read it again by id
};

class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  // Called once for each object of the pack, from many threads at once, in no order. Throwing stops the whole pipeline
  // with that error.
  virtual void accept(const ResolvedObject& resolved) = 0;
};

}  // namespace pfetch::object
