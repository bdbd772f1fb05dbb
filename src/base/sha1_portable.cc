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

template <std::size_t I>
inline void pack_quad(const Schedule& w, Lanes (&row)[2]) {
  Lanes quad;
  std::memcpy(&quad, &w[4 * (kFirstQuad + I)], sizeof quad);
  constexpr QuadMask kMask = kNeededBits[I];
  quad &= Lanes{kMask[3], kMask[2], kMask[1], kMask[0]};
  constexpr Placement kPlace = kPlacements[I];
  if constexpr (kPlace.rotation == 0) {
    row[kPlace.accumulator] |= quad;
  } else if constexpr (shift_suffices(I)) {
    row[kPlace.accumulator] |= quad << kPlace.rotation;
  } else {
    row[kPlace.accumulator] |= PFETCH_ROTATE(quad, kPlace.rotation);
  }
}

template <std::size_t... I>
inline void pack_row(const Schedule& w, std::uint32_t* out, std::index_sequence<I...>) {
  Lanes row[2] = {};
  (pack_quad<I>(w, row), ...);
  for (std::size_t i = 0; i < 2; ++i) {
    const Lanes in_order = __builtin_shufflevector(row[i], row[i], 3, 2, 1, 0);
    std::memcpy(out + 4 * i, &in_order, sizeof in_order);
  }
}

void compress_blocks(Chain& chain, const std::byte* data, std::size_t blocks, Batch& batch, std::size_t slot) {
  Schedule w;
  for (std::size_t end = slot + blocks; slot < end; ++slot, data += kBlockBytes) {
    load_schedule(data, w);
    batch.block[slot] = data;
    batch.before[slot].set(chain);
    compress(chain, w);
    batch.after[slot].set(chain);
    pack_row(w, batch.bits[slot].data(), std::make_index_sequence<kPlacements.size()>());
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
