// A seam: bytes from the other side. Implemented by connections; faked in tests by a string cut at chosen places.
#pragma once

#include <span>

#include "base/bytes.h"

namespace pfetch::base {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Blocks until at least one byte is there; returns the count, 0 at the end of the stream. Throws pfetch::Error
  // (ErrorCode::cancelled when the command is being stopped). Called by one thread at a time.
  virtual std::size_t read(std::span<std::byte> into) = 0;
};

}  // namespace pfetch::base
