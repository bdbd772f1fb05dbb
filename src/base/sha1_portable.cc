// The kernel that runs everywhere: plain C++ for the chain, the compiler's own 16-byte vectors for the check.
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/sha1_kernel.h"
#include "base/sha1_layout.h"

namespace pfetch::base::sha1_internal {
namespace {

#define PFETCH_LANES_TARGET
#define PFETCH_LANES_BYTES 16
#define PFETCH_LANES_ANY(x) (((x)[0] | (x)[1]) != 0)
// Each builds on the one before.
#include "base/sha1_lanes.inc"

#include "base/sha1_conditions.inc"

// One block on its way. In a quad the first word is in the lowest lane.
struct BlockState {
  Chain s;         // a, b, c, d, e
  Lanes quads[8];  // the last eight quads of the expanded message
  Lanes row[2];
  alignas(16) std::array<std::uint32_t, 32> sums;  // word + constant of the steps ahead, at step % 32
};

constexpr std::array<std::uint32_t, 4> kRoundConstants{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

template <std::size_t T>
PFETCH_LANES_INLINE void quick_step(BlockState& block) {
  constexpr std::size_t kA = (80 - T) % 5;
  const std::uint32_t a = block.s[kA];
  std::uint32_t& b = block.s[(kA + 1) % 5];
  const std::uint32_t c = block.s[(kA + 2) % 5];
  const std::uint32_t d = block.s[(kA + 3) % 5];
  std::uint32_t& e = block.s[(kA + 4) % 5];
  e += block.sums[T % 32] + rotate_left(a, 5);
  if constexpr (T < 20) {
    e += d ^ (b & (c ^ d));
  } else if constexpr (T >= 40 && T < 60) {
    e += (b & c) + (d & (b ^ c));
  } else {
    e += b ^ c ^ d;
  }
  b = rotate_left(b, 30);
}

// Picks the needed bits of quad Q into the row.
template <std::size_t Q>
PFETCH_LANES_INLINE void pack_quad(BlockState& block, Lanes quad) {
  constexpr std::size_t kIndex = Q - kFirstQuad;
  constexpr QuadMask kMask = kNeededBits[kIndex];
  quad &= Lanes{kMask[3], kMask[2], kMask[1], kMask[0]};
  constexpr Placement kPlace = kPlacements[kIndex];
  if constexpr (kPlace.rotation == 0) {
    block.row[kPlace.accumulator] |= quad;
  } else if constexpr (shift_suffices(kIndex)) {
    block.row[kPlace.accumulator] |= quad << kPlace.rotation;
  } else {
    block.row[kPlace.accumulator] |= PFETCH_ROTATE(quad, kPlace.rotation);
  }
}

PFETCH_LANES_INLINE Lanes load_quad(const std::byte* at) {
  Lanes quad;
  std::memcpy(&quad, at, sizeof quad);
  if constexpr (std::endian::native == std::endian::little) {
    auto halves = (HalfLanes)quad;
    halves = (halves << 8) | (halves >> 8);
    quad = (Lanes)__builtin_shufflevector(halves, halves, 1, 0, 3, 2, 5, 4, 7, 6);
  }
  return quad;
}

// Makes quad Q of the expanded message. Up to quad 7 the highest word waits for the lowest; from there on the expansion
// of an expansion, w[t] = (w[t-6] ^ w[t-16] ^ w[t-28] ^ w[t-32]) <<< 2, leaves no word waiting for its neighbour.
template <std::size_t Q>
PFETCH_LANES_INLINE void make_quad(BlockState& block, const std::byte* data) {
  Lanes(&q)[8] = block.quads;
  Lanes x;
  if constexpr (Q < 4) {
    x = load_quad(data + 16 * Q);
  } else if constexpr (Q < 8) {
    const Lanes none = {};
    const Lanes& late = q[Q - 1];
    x = q[Q - 4] ^ q[Q - 2] ^ __builtin_shufflevector(q[Q - 4], q[Q - 3], 2, 3, 4, 5) ^
        __builtin_shufflevector(late, none, 1, 2, 3, 4);
    const Lanes lowest = __builtin_shufflevector(none, x, 0, 1, 2, 4);
    x = PFETCH_ROTATE(x, 1) ^ PFETCH_ROTATE(lowest, 2);
  } else {
    x = __builtin_shufflevector(q[(Q - 2) % 8], q[(Q - 1) % 8], 2, 3, 4, 5) ^ q[(Q - 4) % 8] ^ q[(Q - 7) % 8] ^
        q[Q % 8];
    x = PFETCH_ROTATE(x, 2);
  }
  q[Q % 8] = x;
  *reinterpret_cast<Lanes*>(&block.sums[4 * Q % 32]) = x + kRoundConstants[Q / 5];
  if constexpr (Q >= kFirstQuad && Q < kEndQuad) pack_quad<Q>(block, x);
}

// Four steps, and beside them the quad that is needed kAhead quads later: vector and scalar units work at once.
inline constexpr std::size_t kAhead = 3;
template <std::size_t Q>
PFETCH_LANES_INLINE void quad_steps(BlockState& block, const std::byte* data) {
  if constexpr (Q + kAhead < 20) make_quad<Q + kAhead>(block, data);
  quick_step<4 * Q>(block);
  quick_step<4 * Q + 1>(block);
  quick_step<4 * Q + 2>(block);
  quick_step<4 * Q + 3>(block);
}

template <std::size_t... Q>
PFETCH_LANES_INLINE void all_steps(BlockState& block, const std::byte* data, std::index_sequence<Q...>) {
  (quad_steps<Q>(block, data), ...);
}

template <std::size_t... Q>
PFETCH_LANES_INLINE void first_quads(BlockState& block, const std::byte* data, std::index_sequence<Q...>) {
  (make_quad<Q>(block, data), ...);
}

PFETCH_LANES_STRAIGHT void compress_blocks(Chain& chain, const std::byte* data, std::size_t blocks, Batch& batch,
                                           std::size_t slot) {
  BlockState block;
  for (std::size_t end = slot + blocks; slot < end; ++slot, data += kBlockBytes) {
    batch.block[slot] = data;
    batch.before[slot].set(chain);
    block.s = chain;
    block.row[0] = block.row[1] = Lanes{};
    first_quads(block, data, std::make_index_sequence<kAhead>());
    all_steps(block, data, std::make_index_sequence<20>());
    for (std::size_t i = 0; i < 5; ++i) chain[i] += block.s[i];
    batch.after[slot].set(chain);
    for (std::size_t i = 0; i < 2; ++i) {
      *reinterpret_cast<Lanes*>(&batch.bits[slot][4 * i]) =
          __builtin_shufflevector(block.row[i], block.row[i], 3, 2, 1, 0);
    }
  }
}

// The planes count on the byte order; where it is the other one, each block is checked by itself.
void check_portably(Batch& batch, std::size_t used) {
  if constexpr (std::endian::native == std::endian::little) {
    check_batch(batch, used);
    return;
  }
  batch.candidates = {};
  Schedule w;
  for (std::size_t i = 0; i < used; ++i) {
    load_schedule(batch.block[i], w);
    batch.vectors[i] = possible_vectors(w);
    batch.candidates[i / 64] |= std::uint64_t{batch.vectors[i] != 0} << (i % 64);
  }
}

}  // namespace

bool retest_one(const Candidate& candidate) {
  Schedule w;
  load_schedule(candidate.block.data(), w);
  return collides(w, candidate.vector, candidate.before.chain(), candidate.after.chain());
}

const Kernel kPortableKernel{compress_blocks, nullptr, check_portably, retest_candidates};

}  // namespace pfetch::base::sha1_internal
