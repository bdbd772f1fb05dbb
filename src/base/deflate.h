// Deflating into zlib streams (RFC 1950), piece by piece, in bounded memory. One thread at a time; one object serves
// many streams, one after the other. Throws ErrorCode::io when memory is short.
#pragma once

#include <zlib.h>

#include <functional>

#include "base/bytes.h"

namespace pfetch::base {

class Deflater {
 public:
  // `level`: 0 (stored) to 9 (smallest), -1 for zlib's own default.
  explicit Deflater(int level);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Begins a new stream.
  void reset();
  // Takes all of `input`; hands what comes out of it to `output`, in pieces. `is_last` ends the stream.
  void add(Bytes input, bool is_last, const std::function<void(Bytes)>& output);

 private:
  z_stream stream_{};
};

}  // namespace pfetch::base
