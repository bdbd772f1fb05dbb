#include "graph/ewah.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "tests/graph/random_history.h"
#include "tests/support/error_message.h"

namespace pfetch::graph {
namespace {

std::string be64(std::uint64_t value) {
  std::string bytes(8, '\0');
  base::store_be64(bytes.data(), value);
  return bytes;
}

std::string marker(bool bit, std::uint64_t run, std::uint64_t literals) {
  return be64((bit ? 1U : 0U) | run << 1 | literals << 33);
}

// Words by chance, and how they are compressed: runs and literals in any mixture, as the format allows.
struct Sample {
  explicit Sample(std::mt19937& random) {
    for (int part = 0; part < 5; ++part) {
      const bool bit = random() % 2 != 0;
      const std::size_t run = random() % 4, literals = random() % 3;
      compressed += marker(bit, run, literals);
      words.insert(words.end(), run, bit ? ~std::uint64_t{0} : 0);
      for (std::size_t i = 0; i < literals; ++i) {
        words.push_back(random() % 5 == 0 ? ~std::uint64_t{0} : std::uint64_t{random()} << 32 | random());
        compressed += be64(words.back());
      }
    }
  }
  std::vector<std::uint64_t> words;
  std::string compressed;
};

std::vector<std::uint32_t> members(const Roaring& set) {
  return {set.begin(), set.end()};
}

TEST(FlatBits, FlipsWhatIsSetAndGivesItAsNumbers) {
  for (unsigned seed = 0; seed < seed_count(100); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const Sample one(random), other(random), mask(random);
    const std::size_t words = std::max({one.words.size(), other.words.size(), mask.words.size()});
    FlatBits bits(static_cast<std::uint32_t>(64 * words)), kept(bits);
    bits.flip(base::as_bytes(one.compressed));
    bits.flip(base::as_bytes(other.compressed));
    kept.flip(base::as_bytes(mask.compressed));
    std::vector<std::uint32_t> expected, expected_kept;
    for (std::uint32_t i = 0; i < 64 * words; ++i) {
      const auto has = [i](const Sample& sample) {
        return i / 64 < sample.words.size() && (sample.words[i / 64] >> (i % 64) & 1) != 0;
      };
      EXPECT_EQ(bits[i], has(one) != has(other));
      if (bits[i]) expected.push_back(i);
      if (bits[i] && has(mask)) expected_kept.push_back(i);
    }
    EXPECT_EQ(members(bits.to_roaring()), expected);
    bits.keep(kept);
    EXPECT_EQ(members(bits.to_roaring()), expected_kept);
  }
}

TEST(FlatBits, RefusesWhatDoesNotFit) {
  const auto refusal = [](const std::string& compressed) {
    return test::error_message([&] { FlatBits(70).flip(base::as_bytes(compressed)); }, ErrorCode::corrupt);
  };
  EXPECT_EQ(refusal(marker(false, 2, 0)), "accepted");
  EXPECT_EQ(refusal(marker(false, 1, 1) + be64(63)), "accepted");
  EXPECT_EQ(refusal(marker(false, 1, 1) + be64(64)), "a bitmap is too long") << "bit 70";
  EXPECT_EQ(refusal(marker(true, 2, 0)), "a bitmap is too long");
  EXPECT_EQ(refusal(marker(false, 0xffffffff, 0)), "a bitmap is too long");
  EXPECT_EQ(refusal(marker(false, 0, 3) + be64(0) + be64(0) + be64(0)), "a bitmap is too long");
  EXPECT_EQ(refusal(marker(false, 0, 2) + be64(0)), "a bitmap is cut short");
}

TEST(TakeEwahWords, MovesToWhatFollows) {
  const std::string stored("\0\0\0\5\0\0\0\1abcdefgh\0\0\0\0rest", 24);
  base::Bytes rest = base::as_bytes(stored);
  EXPECT_EQ(base::as_text(take_ewah_words(rest)), "abcdefgh");
  EXPECT_EQ(base::as_text(rest), "rest");
  for (std::size_t size = 0; size < stored.size() - 4; ++size) {
    rest = base::as_bytes(stored).first(size);
    EXPECT_THROW(take_ewah_words(rest), Error) << size;
  }
}

TEST(FlatBits, ReadsBackWhatItStores) {
  for (unsigned seed = 0; seed < seed_count(100); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto count = static_cast<std::uint32_t>(random() % 2000);
    FlatBits bits(count);
    for (std::uint32_t at = 0; at < count;) {  // runs of either bit, most of them longer than a word
      const bool bit = random() % 2 != 0;
      for (const std::uint32_t end = at + random() % 300; at < std::min(count, end); ++at) {
        if (bit) bits.set(at);
      }
    }
    const std::string stored = bits.to_ewah() + "rest";
    base::Bytes rest = base::as_bytes(stored);
    FlatBits read(count);
    EXPECT_EQ(base::load_be32(rest.data()), count);
    read.flip(take_ewah_words(rest));
    EXPECT_EQ(base::as_text(rest), "rest");
    EXPECT_TRUE(read.to_roaring() == bits.to_roaring());
  }
}

TEST(FlatBits, StoresRunsAsOneWord) {
  FlatBits bits(64 * 5 + 1);
  for (std::uint32_t i = 0; i < 64 * 3; ++i) bits.set(i);
  bits.set(64 * 4);
  // The last word is all zero: a run of its own.
  const std::string expected = marker(true, 3, 0) + marker(false, 1, 1) + be64(1) + marker(false, 1, 0);
  EXPECT_EQ(bits.to_ewah(), std::string("\0\0\1\x41\0\0\0\4", 8) + expected + std::string("\0\0\0\3", 4));
  EXPECT_EQ(FlatBits(0).to_ewah(), std::string("\0\0\0\0\0\0\0\1", 8) + marker(false, 0, 0) + std::string(4, '\0'));
}

}  // namespace
}  // namespace pfetch::graph
