// Where the bits that conditions speak of go: from the expanded message of a block, to a row of 8 words, to planes.
//
// The conditions use 154 bits of words 35..64. Four words t, t+1, t+2, t+3 (t a multiple of 4: a quad) are held in one
// 128-bit register, word t in its highest lane, as the SHA instructions have it. Each quad is masked, rotated, and
// OR-ed into one of two accumulators so that no two bits meet; the two make the 8 words of a block's row. The rotations
// were found by search: 0 is free, multiples of 8 are one shuffle of bytes, and some shifts lose nothing.
//
// 64 rows are then turned into planes: plane p is one bit of the row, with bit i of the 64 standing for block i.
// Internal to base/sha1; compile-time constants only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/sha1_vectors.h"

namespace pfetch::base::sha1_internal {

inline constexpr std::size_t kFirstQuad = 8;  // words 32..35
inline constexpr std::size_t kEndQuad = 17;   // words 64..67 are the last
inline constexpr std::size_t kRowWords = 8;

struct Placement {
  std::size_t accumulator;
  int rotation;  // to the left
};
inline constexpr std::array<Placement, kEndQuad - kFirstQuad> kPlacements{
    {{1, 11}, {0, 5}, {0, 16}, {1, 22}, {1, 16}, {0, 24}, {0, 0}, {1, 0}, {1, 1}}};

using QuadMask = std::array<std::uint32_t, 4>;

constexpr std::uint32_t rotate_bits(std::uint32_t x, int n) {
  return n == 0 ? x : (x << n) | (x >> (32 - n));
}

// The bits of quad `quad` that some condition needs, in the order of lanes.
constexpr QuadMask needed_bits(std::size_t quad) {
  QuadMask mask{};
  for (const sha1_facts::BitCondition& c : sha1_facts::kConditions) {
    if (c.first_word / 4 == quad) mask[3 - c.first_word % 4] |= 1U << c.first_bit;
    if (c.second_word / 4 == quad) mask[3 - c.second_word % 4] |= 1U << c.second_bit;
  }
  return mask;
}

constexpr std::array<QuadMask, kEndQuad - kFirstQuad> all_needed_bits() {
  std::array<QuadMask, kEndQuad - kFirstQuad> masks{};
  for (std::size_t i = 0; i < masks.size(); ++i) masks[i] = needed_bits(kFirstQuad + i);
  return masks;
}
alignas(16) inline constexpr std::array<QuadMask, kEndQuad - kFirstQuad> kNeededBits = all_needed_bits();

constexpr bool no_two_bits_meet() {
  std::array<std::uint32_t, kRowWords> row{};
  for (std::size_t i = 0; i < kPlacements.size(); ++i) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const std::uint32_t bits = rotate_bits(kNeededBits[i][lane], kPlacements[i].rotation);
      std::uint32_t& word = row[4 * kPlacements[i].accumulator + lane];
      if ((word & bits) != 0) return false;
      word |= bits;
    }
  }
  return true;
}
static_assert(no_two_bits_meet());

// Whether rotating quad i is a mere shift, because the bits pushed out are not needed.
constexpr bool shift_suffices(std::size_t i) {
  for (const std::uint32_t bits : kNeededBits[i]) {
    if (((bits << kPlacements[i].rotation) >> kPlacements[i].rotation) != bits) return false;
  }
  return true;
}

// Bit `bit` of byte `byte` (0..15) of accumulator `accumulator` of a row.
struct RowBit {
  std::size_t accumulator;
  std::size_t byte;
  std::size_t bit;
};
constexpr RowBit row_bit_of(std::size_t word, std::size_t bit) {
  const Placement place = kPlacements[word / 4 - kFirstQuad];
  const std::size_t in_word = (bit + static_cast<std::size_t>(place.rotation)) % 32;
  return {place.accumulator, 4 * (3 - word % 4) + in_word / 8, in_word % 8};
}

// The planes of a group of 64 blocks, and those of at most eight blocks, in the order their transpositions leave them.
inline constexpr std::size_t kPlaneCount = 32 * kRowWords;
constexpr std::size_t group_plane_index(const RowBit& at) {
  return ((at.byte / 2) * 8 + at.bit) * 4 + 2 * at.accumulator + at.byte % 2;
}
constexpr std::size_t few_plane_index(const RowBit& at) {
  return 32 * at.bit + 16 * at.accumulator + at.byte;
}

// The conditions of vector V, as places in kConditions.
struct ConditionList {
  std::size_t count = 0;
  std::array<std::uint8_t, 16> index{};
};
constexpr ConditionList conditions_of(std::size_t vector) {
  ConditionList list;
  for (std::size_t i = 0; i < sha1_facts::kConditionCount; ++i) {
    if (((sha1_facts::kConditions[i].vectors >> vector) & 1) != 0)
      list.index[list.count++] = static_cast<std::uint8_t>(i);
  }
  return list;
}
template <std::size_t V>
inline constexpr ConditionList kConditionsOf = conditions_of(V);

}  // namespace pfetch::base::sha1_internal
