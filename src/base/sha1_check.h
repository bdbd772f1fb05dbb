// The scalar parts of SHA-1 with collision detection: the steps, the check, the re-test.
//
// This is the reference that every fast kernel is compared with, and the tail that fast kernels leave over. Internal to
// base/sha1. Pure functions; any thread. The method: docs/sha1.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/sha1_vectors.h"

namespace pfetch::base::sha1_internal {

using Chain = std::array<std::uint32_t, 5>;      // a, b, c, d, e
using Schedule = std::array<std::uint32_t, 80>;  // the expanded message of one block

inline constexpr std::size_t kBlockBytes = 64;
inline constexpr Chain kInitialChain{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

constexpr std::uint32_t rotate_left(std::uint32_t x, int n) {
  return (x << n) | (x >> (32 - n));
}

// Words 16..79 from words 0..15. The expansion is linear: it holds for differences of messages too.
template <class Words>
constexpr void expand_schedule(Words& w) {
  for (std::size_t t = 16; t < 80; ++t) w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
}

// The full expanded difference of each disturbance vector.
extern const std::array<Schedule, sha1_facts::kVectorCount> kDifferences;

// Reads the 64 bytes at `block` and expands them.
void load_schedule(const std::byte* block, Schedule& w);

// The 80 steps: adds the block to the chain.
void compress(Chain& chain, const Schedule& w);

// Bit n is set when the block meets every unavoidable bit condition of vector n: a candidate.
std::uint32_t possible_vectors(const Schedule& w);

// Whether the block that took the chain from `before` to `after` is one half of a collision along vector `vector`:
// whether the block changed by the vector's difference ends in `after` too.
bool collides(const Schedule& w, std::size_t vector, const Chain& before, const Chain& after);

// The SHA-1 function and constant of step t (0..79).
template <std::size_t T>
constexpr std::uint32_t step_function(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if constexpr (T < 20) {
    return (d ^ (b & (c ^ d))) + 0x5a827999;
  } else if constexpr (T < 40) {
    return (b ^ c ^ d) + 0x6ed9eba1;
  } else if constexpr (T < 60) {
    return ((b & c) + (d & (b ^ c))) + 0x8f1bbcdc;
  } else {
    return (b ^ c ^ d) + 0xca62c1d6;
  }
}

}  // namespace pfetch::base::sha1_internal
