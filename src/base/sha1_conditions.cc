// All conditions of all vectors for 64 blocks at once, on planes: one XOR for a condition, one OR for each vector that
// it can rule out. Plain 64-bit code; the compiler unrolls it into straight lines.
#include <bit>
#include <utility>

#include "base/sha1_kernel.h"
#include "base/sha1_layout.h"

namespace pfetch::base::sha1_internal {
namespace {

using sha1_facts::kConditionCount;
using sha1_facts::kConditions;
using sha1_facts::kVectorCount;

// The blocks that break condition I.
template <std::size_t I>
inline std::uint64_t broken(const std::uint64_t* planes) {
  constexpr auto kCondition = kConditions[I];
  constexpr std::size_t kFirst = plane_of(kCondition.first_word, kCondition.first_bit);
  constexpr std::size_t kSecond = plane_of(kCondition.second_word, kCondition.second_bit);
  const std::uint64_t differ = planes[kFirst] ^ planes[kSecond];
  return kCondition.value == 0 ? differ : ~differ;
}

template <std::size_t... I>
inline void all_broken(const std::uint64_t* planes, std::uint64_t* out, std::index_sequence<I...>) {
  ((out[I] = broken<I>(planes)), ...);
}

// The blocks that vector V is ruled out for.
template <std::size_t V, std::size_t... I>
inline std::uint64_t ruled_out(const std::uint64_t* conditions, std::index_sequence<I...>) {
  return ((((kConditions[I].vectors >> V) & 1) != 0 ? conditions[I] : 0) | ...);
}

template <std::size_t V>
inline std::uint64_t note_candidates(const std::uint64_t* conditions, std::uint64_t live, std::uint32_t* vectors) {
  const std::uint64_t candidates = live & ~ruled_out<V>(conditions, std::make_index_sequence<kConditionCount>());
  for (std::uint64_t left = candidates; left != 0; left &= left - 1) vectors[std::countr_zero(left)] |= 1U << V;
  return candidates;
}

template <std::size_t... V>
inline std::uint64_t note_all(const std::uint64_t* conditions, std::uint64_t live, std::uint32_t* vectors,
                              std::index_sequence<V...>) {
  return (note_candidates<V>(conditions, live, vectors) | ...);
}

}  // namespace

std::uint64_t find_candidates(const std::uint64_t* planes, std::size_t used, std::uint32_t* vectors) {
  std::uint64_t conditions[kConditionCount];
  all_broken(planes, conditions, std::make_index_sequence<kConditionCount>());
  for (std::size_t i = 0; i < kBatchBlocks; ++i) vectors[i] = 0;
  const std::uint64_t live = ~std::uint64_t{0} >> (kBatchBlocks - used);
  return note_all(conditions, live, vectors, std::make_index_sequence<kVectorCount>());
}

}  // namespace pfetch::base::sha1_internal
