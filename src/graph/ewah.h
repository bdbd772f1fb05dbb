// Bitmaps compressed as EWAH, the way Git stores them (git's technical/bitmap-format, appendix A).
//
// Stored: the number of bits, the number of words (4 bytes each), the 64-bit words, and the place of the last marker
// word (4 bytes); all big-endian. A marker word says, from its lowest bit up: which bit a run repeats (1 bit), how many
// words the run stands for (32 bits), and how many literal words follow (31 bits). Throws ErrorCode::corrupt.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "graph/roaring.h"

namespace pfetch::graph {

// A bitmap laid out flat: bit i is bit i % 64 of word i / 64.
class FlatBits {
 public:
  explicit FlatBits(std::uint32_t count) : count_(count), words_((std::size_t{count} + 63) / 64) {}

  std::uint32_t count() const { return count_; }
  bool operator[](std::uint32_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }
  void set(std::uint32_t bit) { words_[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  // Flips the bits that are set in a stored EWAH bitmap, which may not have any beyond count(). `compressed` are its
  // words, as take_ewah_words gives them.
  void flip(base::Bytes compressed);
  // Clears what is not set in `mask`, which has the same count.
  void keep(const FlatBits& mask);
  Roaring to_roaring() const;
  // As it is stored: what take_ewah_words and flip read.
  std::string to_ewah() const;

 private:
  std::uint32_t count_;
  std::vector<std::uint64_t> words_;
};

// The words of the stored bitmap at the front of `rest`, which is moved to what follows it.
base::Bytes take_ewah_words(base::Bytes& rest);

}  // namespace pfetch::graph
