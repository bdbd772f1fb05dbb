// Git's binary deltas (gitformat-pack, "Deltified representation"): two sizes, then copy and insert instructions.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace pfetch::store {

struct DeltaSizes {
  std::uint64_t base = 0;    // bytes
  std::uint64_t result = 0;  // bytes
  std::size_t header = 0;    // where the instructions begin
};

// Reads the two sizes. Throws ErrorCode::corrupt when the header is cut short or a size does not fit 63 bits.
DeltaSizes read_delta_sizes(base::Bytes delta);

// The size of the result by what the instructions really do, in bytes: a size that is only claimed costs no memory.
// Throws ErrorCode::corrupt when the instructions are broken or give another size than the header says.
std::uint64_t measure_delta(base::Bytes delta);

// Applies `delta` to `base` into `result`, which must be of the delta's result size. Throws ErrorCode::corrupt when an
// instruction reaches outside the base or the result, when the sizes do not match, or when bytes are missing.
void apply_delta(base::Bytes base, base::Bytes delta, std::span<std::byte> result);

}  // namespace pfetch::store
