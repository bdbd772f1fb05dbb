// ARMv8: the chain by SHA1 instructions, the bits for the check picked up on the way, the check in NEON lanes.
//
// GCC takes the instructions from the attribute below; clang before 16 declares them only when the whole file is
// compiled for them, which src/CMakeLists.txt asks for. Without them this file is empty but for a null pointer.
#include "base/sha1_kernel.h"

#if defined(__AARCH64EL__) && (defined(__ARM_FEATURE_SHA2) || (defined(__GNUC__) && !defined(__clang__)))

#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/sha1_layout.h"

namespace pfetch::base::sha1_internal {
namespace {

#if defined(__clang__)
#define PFETCH_LANES_TARGET
#else
#define PFETCH_LANES_TARGET __attribute__((target("+crypto")))
#endif
#define PFETCH_LANES_BYTES 16
#define PFETCH_LANES_ANY(x) (vmaxvq_u32((uint32x4_t)(x)) != 0)
// Each builds on the one before.
#include "base/sha1_lanes.inc"

#include "base/sha1_conditions.inc"

// Here the lowest lane holds `a`, and the first word of a quad; batch and layout have them in the highest one.
struct ShaStream {
  uint32x4_t abcd;
  uint32x4_t e;           // its lowest lane counts
  uint32x4_t message[4];  // the last four quads of the expanded message
  uint32x4_t row[2];
  uint32x4_t abcd_before;
  uint32x4_t e_before;
};

PFETCH_LANES_INLINE uint32x4_t turn(uint32x4_t x) {
  const uint32x4_t pairs = vrev64q_u32(x);
  return vextq_u32(pairs, pairs, 2);
}

PFETCH_LANES_INLINE void load_chain(ShaStream& s, const Chain& chain) {
  s.abcd = vld1q_u32(chain.data());
  s.e = vdupq_n_u32(chain[4]);
}

PFETCH_LANES_INLINE void store(StoredChain& out, const ShaStream& s) {
  vst1q_u32(&out.d, turn(s.abcd));
  vst1q_lane_u32(&out.e, s.e, 0);
}

constexpr std::array<QuadMask, kEndQuad - kFirstQuad> masks_in_order() {
  std::array<QuadMask, kEndQuad - kFirstQuad> masks{};
  for (std::size_t i = 0; i < masks.size(); ++i) {
    for (std::size_t lane = 0; lane < 4; ++lane) masks[i][lane] = kNeededBits[i][3 - lane];
  }
  return masks;
}
alignas(16) constexpr std::array<QuadMask, kEndQuad - kFirstQuad> kMasks = masks_in_order();

// Picks the needed bits of quad Q into the row.
template <std::size_t Q>
PFETCH_LANES_INLINE void pack_quad(ShaStream& s, uint32x4_t quad) {
  constexpr std::size_t kIndex = Q - kFirstQuad;
  constexpr Placement kPlace = kPlacements[kIndex];
  uint32x4_t bits = vandq_u32(quad, vld1q_u32(kMasks[kIndex].data()));
  if constexpr (kPlace.rotation == 16) {
    bits = vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(bits)));
  } else if constexpr (kPlace.rotation != 0) {
    const uint32x4_t shifted = vshlq_n_u32(bits, kPlace.rotation);
    bits = shift_suffices(kIndex) ? shifted : vsriq_n_u32(shifted, bits, 32 - kPlace.rotation);
  }
  uint32x4_t& row = s.row[kPlace.accumulator];
  row = vorrq_u32(row, bits);
}

// Four steps with quad Q of the expanded message.
template <std::size_t Q>
PFETCH_LANES_INLINE void quad_steps(ShaStream& s, const std::byte* data) {
  uint32x4_t& w = s.message[Q % 4];
  if constexpr (Q < 4) {
    w = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(data) + 16 * Q)));
  } else {
    w = vsha1su1q_u32(vsha1su0q_u32(w, s.message[(Q + 1) % 4], s.message[(Q + 2) % 4]), s.message[(Q + 3) % 4]);
  }
  constexpr std::uint32_t kConstants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  const uint32x4_t sum = vaddq_u32(w, vdupq_n_u32(kConstants[Q / 5]));
  const std::uint32_t e = vgetq_lane_u32(s.e, 0);
  s.e = vsetq_lane_u32(vsha1h_u32(vgetq_lane_u32(s.abcd, 0)), s.e, 0);
  if constexpr (Q < 5) {
    s.abcd = vsha1cq_u32(s.abcd, e, sum);
  } else if constexpr (Q >= 10 && Q < 15) {
    s.abcd = vsha1mq_u32(s.abcd, e, sum);
  } else {
    s.abcd = vsha1pq_u32(s.abcd, e, sum);
  }
  if constexpr (Q >= kFirstQuad && Q < kEndQuad) pack_quad<Q>(s, w);
}

PFETCH_LANES_INLINE void begin_block(ShaStream& s, Batch& batch, std::size_t slot) {
  store(batch.before[slot], s);
  s.abcd_before = s.abcd;
  s.e_before = s.e;
  s.row[0] = s.row[1] = vdupq_n_u32(0);
}

// The end of a block: adds what the chain was, and stores all that the check wants to know.
PFETCH_LANES_INLINE void end_block(ShaStream& s, const std::byte* data, Batch& batch, std::size_t slot) {
  s.abcd = vaddq_u32(s.abcd, s.abcd_before);
  s.e = vaddq_u32(s.e, s.e_before);
  store(batch.after[slot], s);
  vst1q_u32(&batch.bits[slot][0], turn(s.row[0]));
  vst1q_u32(&batch.bits[slot][4], turn(s.row[1]));
  batch.block[slot] = data;
}

#include "base/sha1_streams.inc"

constexpr Kernel kArmv8Kernel{compress_blocks, compress_two, check_batch, retest_candidates};

}  // namespace

const Kernel* armv8_kernel() {
  return (getauxval(AT_HWCAP) & HWCAP_SHA1) != 0 ? &kArmv8Kernel : nullptr;
}

}  // namespace pfetch::base::sha1_internal

#else

namespace pfetch::base::sha1_internal {

const Kernel* armv8_kernel() {
  return nullptr;
}

}  // namespace pfetch::base::sha1_internal

#endif
