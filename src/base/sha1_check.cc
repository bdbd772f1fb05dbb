// The re-test, in short. Along a disturbance vector both blocks of a colliding pair are in the same state before one
// known step. So the state of the block at hand is taken at that step, the message is changed by the vector's
// difference, and from there the steps are run back to the start and on to the end. That gives the other block's
// chaining values; when its outgoing one equals ours, the pair collides, and only an attack makes that happen.
#include "base/sha1_check.h"

#include <cstring>
#include <utility>

namespace pfetch::base::sha1_internal {
namespace {

using sha1_facts::kConditions;
using sha1_facts::kVectors;

constexpr std::array<Schedule, sha1_facts::kVectorCount> expand_differences() {
  std::array<Schedule, sha1_facts::kVectorCount> all{};
  for (std::size_t v = 0; v < all.size(); ++v) {
    for (std::size_t t = 0; t < 16; ++t) all[v][t] = kVectors[v].difference[t];
    expand_schedule(all[v]);
  }
  return all;
}

// In step T the five variables are not moved, their names are: a is at kAt<T, 0>, b at kAt<T, 1> …
template <std::size_t T, std::size_t Name>
inline constexpr std::size_t kAt = (80 - T + Name) % 5;

template <std::size_t T>
inline void step(Chain& s, std::uint32_t w) {
  std::uint32_t& b = s[kAt<T, 1>];
  s[kAt<T, 4>] += rotate_left(s[kAt<T, 0>], 5) + step_function<T>(b, s[kAt<T, 2>], s[kAt<T, 3>]) + w;
  b = rotate_left(b, 30);
}

template <std::size_t T>
inline void step_back(Chain& s, std::uint32_t w) {
  std::uint32_t& b = s[kAt<T, 1>];
  b = rotate_left(b, 2);
  s[kAt<T, 4>] -= rotate_left(s[kAt<T, 0>], 5) + step_function<T>(b, s[kAt<T, 2>], s[kAt<T, 3>]) + w;
}

template <std::size_t From, std::size_t... I>
inline void steps(Chain& s, const Schedule& w, std::index_sequence<I...>) {
  (step<From + I>(s, w[From + I]), ...);
}

template <std::size_t To, std::size_t... I>
inline void steps_back(Chain& s, const Schedule& w, std::index_sequence<I...>) {
  (step_back<To - 1 - I>(s, w[To - 1 - I]), ...);
}

// Keeps the vectors that condition I leaves standing.
template <std::size_t I>
inline std::uint32_t survivors(const Schedule& w) {
  constexpr auto kCondition = kConditions[I];
  const std::uint32_t broken = ((w[kCondition.first_word] >> kCondition.first_bit) ^
                                (w[kCondition.second_word] >> kCondition.second_bit) ^ kCondition.value) &
                               1;
  return ~(kCondition.vectors & (0 - broken));
}

template <std::size_t... I>
inline std::uint32_t all_survivors(const Schedule& w, std::index_sequence<I...>) {
  return (survivors<I>(w) & ...);
}

template <std::size_t TestStep>
bool collides_from(const Schedule& w, const Schedule& difference, const Chain& before, const Chain& after) {
  Chain s;
  for (std::size_t i = 0; i < 5; ++i) s[i] = after[i] - before[i];
  steps_back<80>(s, w, std::make_index_sequence<80 - TestStep>());

  Schedule other;
  for (std::size_t t = 0; t < 80; ++t) other[t] = w[t] ^ difference[t];
  Chain start = s;
  steps_back<TestStep>(start, other, std::make_index_sequence<TestStep>());
  steps<TestStep>(s, other, std::make_index_sequence<80 - TestStep>());
  for (std::size_t i = 0; i < 5; ++i) {
    if (start[i] + s[i] != after[i]) return false;
  }
  return true;
}

}  // namespace

const std::array<Schedule, sha1_facts::kVectorCount> kDifferences = expand_differences();

// Four words at a time, by the compiler's own vectors. From word 32 on the expansion of an expansion,
// w[t] = (w[t-6] ^ w[t-16] ^ w[t-28] ^ w[t-32]) <<< 2, leaves no word waiting for its neighbour.
void load_schedule(const std::byte* block, Schedule& w) {
  typedef std::uint32_t Quad __attribute__((vector_size(16)));
  Quad quads[20];
  for (std::size_t q = 0; q < 4; ++q) {
    const std::byte* at = block + 16 * q;
    quads[q] = Quad{load_be32(at), load_be32(at + 4), load_be32(at + 8), load_be32(at + 12)};
  }
  for (std::size_t q = 4; q < 8; ++q) {
    const Quad late = quads[q - 1];
    Quad x = quads[q - 4] ^ __builtin_shufflevector(quads[q - 4], quads[q - 3], 2, 3, 4, 5) ^ quads[q - 2];
    x ^= Quad{late[1], late[2], late[3], 0};
    x = (x << 1) | (x >> 31);
    x ^= Quad{0, 0, 0, rotate_left(x[0], 1)};
    quads[q] = x;
  }
  for (std::size_t q = 8; q < 20; ++q) {
    const Quad recent = __builtin_shufflevector(quads[q - 2], quads[q - 1], 2, 3, 4, 5);
    const Quad x = recent ^ quads[q - 4] ^ quads[q - 7] ^ quads[q - 8];
    quads[q] = (x << 2) | (x >> 30);
  }
  std::memcpy(w.data(), quads, sizeof quads);
}

void compress(Chain& chain, const Schedule& w) {
  Chain s = chain;
  steps<0>(s, w, std::make_index_sequence<80>());
  for (std::size_t i = 0; i < 5; ++i) chain[i] += s[i];
}

std::uint32_t possible_vectors(const Schedule& w) {
  return all_survivors(w, std::make_index_sequence<sha1_facts::kConditionCount>());
}

bool collides(const Schedule& w, std::size_t vector, const Chain& before, const Chain& after) {
  const Schedule& difference = kDifferences[vector];
  return kVectors[vector].test_step == 58 ? collides_from<58>(w, difference, before, after)
                                          : collides_from<65>(w, difference, before, after);
}

}  // namespace pfetch::base::sha1_internal
