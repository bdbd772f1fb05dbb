// The bound on what a conversion makes, in either direction. It is held in memory.
#pragma once

#include <cstdint>

namespace pfetch::checkout {

// Bytes; a converted blob may grow (an LF to two bytes, a `$Id$` to 47).
inline constexpr std::uint64_t converted_bytes_max = std::uint64_t{1} << 32;

// Throws ErrorCode::refused when a result of `bytes` exceeds `bytes_max`.
void check_converted_size(std::uint64_t bytes, std::uint64_t bytes_max);

}  // namespace pfetch::checkout
