// What the reader and the writer of `.git/index` both know about the bytes of an entry (gitformat-index).
//
// The 16-bit field "flags" holds, from its lowest bit up: the path's size (12 bits), the stage (2), whether extended
// flags follow (1), and assume-valid (1). Errors: ErrorCode::corrupt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace pfetch::checkout {

inline constexpr std::size_t index_header_bytes = 12;      // "DIRC", version, number of entries
inline constexpr std::size_t index_path_size_max = 0xfff;  // in the flags; a longer path ends at its NUL
inline constexpr unsigned index_stage_shift = 12;
inline constexpr unsigned index_stage_max = 3;
inline constexpr std::uint32_t index_extended = 0x4000;
inline constexpr std::uint32_t index_assume_valid = 0x8000;
// In the extended flags.
inline constexpr std::uint32_t index_intent_to_add = 0x2000;
inline constexpr std::uint32_t index_skip_worktree = 0x4000;

// The variable width encoding of numbers: seven bits a byte, highest first, all but the last byte with their top bit
// set; one is added for each byte that follows, so that no number has two encodings.
void append_varint(std::string& to, std::uint64_t value);
// The number at the front of `rest`, which is moved to what follows it; at most 32 bits.
std::uint32_t take_varint(base::Bytes& rest);

}  // namespace pfetch::checkout
