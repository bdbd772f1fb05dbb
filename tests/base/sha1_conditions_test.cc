// The facts, the check and the re-test: each of the 373 conditions by itself, each of the 32 vectors, every kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "base/sha1_kernel.h"
#include "tests/base/sha1_support.h"

namespace pfetch::base::sha1_internal {
namespace {

using sha1_facts::kConditions;
using sha1_facts::kVectors;
using Block = std::array<std::byte, kBlockBytes>;

// A condition, or its opposite, as an equation over the 512 message bits; the last bit is the right side.
using Equation = std::bitset<513>;

// Every bit of the expanded message as a sum of message bits.
const std::vector<std::array<Equation, 32>>& expanded_bits() {
  static const auto made = [] {
    std::vector<std::array<Equation, 32>> w(80);
    for (std::size_t t = 0; t < 80; ++t) {
      for (std::size_t b = 0; b < 32; ++b) {
        const std::size_t from = (b + 31) % 32;
        if (t < 16) {
          w[t][b].set(32 * t + b);
        } else {
          w[t][b] = w[t - 3][from] ^ w[t - 8][from] ^ w[t - 14][from] ^ w[t - 16][from];
        }
      }
    }
    return w;
  }();
  return made;
}

// A random block that solves the equations, if they can be solved.
std::optional<Block> solve(std::vector<Equation> equations, std::mt19937_64& random) {
  std::bitset<512> message;
  for (std::size_t i = 0; i < 512; ++i) message[i] = (random() & 1) != 0;
  std::vector<std::size_t> pivots;
  for (std::size_t row = 0; row < equations.size(); ++row) {
    std::size_t pivot = 0;
    while (pivot < 512 && !equations[row][pivot]) ++pivot;
    if (pivot == 512 && equations[row][512]) return std::nullopt;
    pivots.push_back(pivot);
    for (std::size_t other = 0; pivot < 512 && other < equations.size(); ++other) {
      if (other != row && equations[other][pivot]) equations[other] ^= equations[row];
    }
  }
  for (const std::size_t pivot : pivots) {
    if (pivot < 512) message.reset(pivot);
  }
  for (std::size_t row = 0; row < equations.size(); ++row) {
    if (pivots[row] == 512) continue;
    bool value = equations[row][512];
    for (std::size_t i = 0; i < 512; ++i) value ^= equations[row][i] && message[i] && i != pivots[row];
    message[pivots[row]] = value;
  }
  Block block;
  for (std::size_t t = 0; t < 16; ++t) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 32; ++b) word |= std::uint32_t{message[32 * t + b]} << b;
    store_be32(block.data() + 4 * t, word);
  }
  return block;
}

// A block that meets all conditions of the vector but `broken` (an index into kConditions; none when past the end).
std::optional<Block> block_for(std::size_t vector, std::size_t broken, std::mt19937_64& random) {
  std::vector<Equation> equations;
  for (std::size_t i = 0; i < kConditions.size(); ++i) {
    const auto& c = kConditions[i];
    if (((c.vectors >> vector) & 1) == 0) continue;
    equations.push_back(expanded_bits()[c.first_word][c.first_bit] ^ expanded_bits()[c.second_word][c.second_bit]);
    equations.back()[512] = (c.value != 0) != (i == broken);
  }
  return solve(equations, random);
}

// What every kernel of this machine says of a block at some slot of a batch with `used` slots of noise.
void expect_vectors(const Block& block, std::size_t slot, std::size_t used, std::uint32_t expected) {
  auto bytes = sha1_support::random_bytes(used * kBlockBytes, used);
  std::memcpy(bytes.data() + slot * kBlockBytes, block.data(), kBlockBytes);
  for (const Sha1Kernel name : sha1_support::kernels()) {
    const Kernel& kernel = *find_kernel(name);
    const auto batch = std::make_unique<Batch>();
    Chain chain = kInitialChain;
    kernel.compress(chain, bytes.data(), used, *batch, 0);
    kernel.check(*batch, used);
    ASSERT_EQ(batch->vectors[slot], expected) << sha1_kernel_name(name) << ", slot " << slot << " of " << used;
    ASSERT_EQ((batch->candidates[slot / 64] >> (slot % 64)) & 1, expected != 0 ? 1U : 0U);
  }
}

TEST(Sha1Facts, AreAllThere) {
  std::size_t conditions = 0;
  for (const auto& condition : kConditions)
    conditions += static_cast<std::size_t>(__builtin_popcount(condition.vectors));
  EXPECT_EQ(kVectors.size(), 32U);
  EXPECT_EQ(kConditions.size(), 156U);
  EXPECT_EQ(conditions, 373U);
}

// PFETCH_TEST_DATA names the directory with the published list; else it is looked for beside the source tree.
std::ifstream open_published_list() {
  constexpr char kName[] = "/sha1-disturbance-vectors.txt";
  const char* given = std::getenv("PFETCH_TEST_DATA");
  const std::string source = PFETCH_SOURCE_DIR;
  for (const std::string& directory :
       {std::string(given != nullptr ? given : ""), source + "/../shared/data", source + "/../../shared/data"}) {
    std::ifstream file(directory + kName);
    if (file) return file;
  }
  return {};
}

TEST(Sha1Facts, AgreeWithThePublishedList) {
  std::ifstream file = open_published_list();
  if (!file.is_open()) GTEST_SKIP() << "the published list of facts is not here";
  std::string line;
  std::size_t vector = 0;
  std::size_t word = 0;
  std::size_t conditions = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kind;
    if (line.starts_with("dv ")) {
      std::string type;
      unsigned k = 0;
      unsigned b = 0;
      unsigned step = 0;
      words >> kind >> type >> k >> b >> step;
      ASSERT_EQ(word, 80 * vector);
      EXPECT_EQ(kVectors[vector].second_type, type == "II");
      EXPECT_EQ(kVectors[vector].k, k);
      EXPECT_EQ(kVectors[vector].b, b);
      EXPECT_EQ(kVectors[vector].test_step, step);
      ++vector;
    } else if (line.starts_with("ubc ")) {
      unsigned i = 0;
      unsigned b = 0;
      unsigned j = 0;
      unsigned c = 0;
      unsigned v = 0;
      char dot = 0;
      words >> kind >> i >> dot >> b >> j >> dot >> c >> v;
      const bool known = std::any_of(kConditions.begin(), kConditions.end(), [&](const auto& x) {
        return x.first_word == i && x.first_bit == b && x.second_word == j && x.second_bit == c && x.value == v &&
               ((x.vectors >> (vector - 1)) & 1) != 0;
      });
      EXPECT_TRUE(known) << line;
      ++conditions;
    } else if (line.starts_with("  ")) {
      std::uint32_t difference = 0;
      while (words >> std::hex >> difference) EXPECT_EQ(kDifferences[vector - 1][word++ % 80], difference);
    }
  }
  EXPECT_EQ(vector, 32U);
  EXPECT_EQ(conditions, 373U);
}

TEST(Sha1Check, ExpandsABlockAsTheStandardSays) {
  const auto bytes = sha1_support::random_bytes(kBlockBytes, 1);
  Schedule fast;
  load_schedule(bytes.data(), fast);
  Schedule plain{};
  for (std::size_t t = 0; t < 16; ++t) plain[t] = load_be32(bytes.data() + 4 * t);
  expand_schedule(plain);
  EXPECT_EQ(fast, plain);
}

TEST(Sha1Check, NeedsEveryOneOfThe373Conditions) {
  std::mt19937_64 random(21);
  Schedule w;
  std::size_t tested = 0;
  for (std::size_t vector = 0; vector < kVectors.size(); ++vector) {
    const auto good = block_for(vector, kConditions.size(), random);
    ASSERT_TRUE(good);
    load_schedule(good->data(), w);
    ASSERT_NE(possible_vectors(w) & (1U << vector), 0U);
    expect_vectors(*good, vector * 8 % 200, 200, possible_vectors(w));
    for (std::size_t i = 0; i < kConditions.size(); ++i) {
      if (((kConditions[i].vectors >> vector) & 1) == 0) continue;
      const auto bad = block_for(vector, i, random);
      ASSERT_TRUE(bad) << "condition " << i << " follows from the others of vector " << vector;
      load_schedule(bad->data(), w);
      ASSERT_EQ(possible_vectors(w) & (1U << vector), 0U);
      const std::size_t used = std::array<std::size_t, 4>{5, 64, 130, 256}[tested % 4];
      expect_vectors(*bad, tested % used, used, possible_vectors(w));
      ++tested;
    }
  }
  EXPECT_EQ(tested, 373U);
}

TEST(Sha1Check, FindsTheSameCandidatesAtEverySizeOfABatch) {
  const auto bytes = sha1_support::random_bytes(kBatchBlocks * kBlockBytes, 22);
  std::array<std::uint32_t, kBatchBlocks> expected;
  std::size_t candidates = 0;
  Schedule w;
  for (std::size_t i = 0; i < kBatchBlocks; ++i) {
    load_schedule(bytes.data() + i * kBlockBytes, w);
    expected[i] = possible_vectors(w);
    candidates += expected[i] != 0 ? 1U : 0U;
  }
  EXPECT_GT(candidates, 2U);  // one in 21 on average
  EXPECT_LT(candidates, 40U);
  for (const Sha1Kernel name : sha1_support::kernels()) {
    const Kernel& kernel = *find_kernel(name);
    const auto batch = std::make_unique<Batch>();
    for (std::size_t used = 1; used <= kBatchBlocks; ++used) {
      Chain chain = kInitialChain;
      kernel.compress(chain, bytes.data(), used, *batch, 0);
      kernel.check(*batch, used);
      for (std::size_t i = 0; i < used; ++i) {
        ASSERT_EQ(batch->vectors[i], expected[i]) << sha1_kernel_name(name) << ", block " << i << " of " << used;
      }
    }
  }
}

TEST(Sha1Check, StoresTheChainsOfTwoMessagesAlternately) {
  const auto bytes = sha1_support::random_bytes(20 * kBlockBytes, 23);
  for (const Sha1Kernel name : sha1_support::kernels()) {
    const Kernel& kernel = *find_kernel(name);
    if (kernel.compress_pair == nullptr) continue;
    const auto batch = std::make_unique<Batch>();
    Chain one = kInitialChain;
    Chain two = {1, 2, 3, 4, 5};
    kernel.compress_pair(one, bytes.data(), two, bytes.data() + 10 * kBlockBytes, 10, *batch, 4);
    Chain expected[2] = {kInitialChain, {1, 2, 3, 4, 5}};
    Schedule w;
    for (std::size_t i = 0; i < 20; ++i) {
      const std::byte* at = bytes.data() + (i % 2 * 10 + i / 2) * kBlockBytes;
      load_schedule(at, w);
      EXPECT_EQ(batch->block[4 + i], at);
      EXPECT_EQ(batch->before[4 + i].chain(), expected[i % 2]);
      compress(expected[i % 2], w);
      EXPECT_EQ(batch->after[4 + i].chain(), expected[i % 2]);
    }
    EXPECT_EQ(one, expected[0]);
    EXPECT_EQ(two, expected[1]);
  }
}

// The steps as the standard words them, to make a pair that collides along any vector.
std::uint32_t round_sum(std::size_t t, const Chain& s, std::uint32_t w) {
  const auto [a, b, c, d, e] = s;
  (void)e;
  std::uint32_t f = b ^ c ^ d;
  if (t < 20) f = (b & c) | (~b & d);
  if (t >= 40 && t < 60) f = (b & c) | (b & d) | (c & d);
  constexpr std::uint32_t kConstants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  return rotate_left(a, 5) + f + kConstants[t / 20] + w;
}
Chain forward(std::size_t t, const Chain& s, std::uint32_t w) {
  return {round_sum(t, s, w) + s[4], s[0], rotate_left(s[1], 30), s[2], s[3]};
}
Chain backward(std::size_t t, const Chain& s, std::uint32_t w) {
  Chain from{s[1], rotate_left(s[2], 2), s[3], s[4], 0};
  from[4] = s[0] - round_sum(t, from, w);
  return from;
}

// A candidate that the re-test must call an attack: both messages are in one state before the test step, and the
// chaining values are chosen so that they end in the same one.
Candidate colliding_candidate(std::uint32_t vector, std::mt19937_64& random) {
  Candidate candidate{};
  for (std::byte& byte : candidate.block) byte = static_cast<std::byte>(random());
  candidate.vector = vector;
  Schedule w;
  load_schedule(candidate.block.data(), w);
  const std::size_t step = kVectors[vector].test_step;
  Chain at_step;
  for (std::uint32_t& word : at_step) word = static_cast<std::uint32_t>(random());
  Chain end = at_step;
  Chain other_start = at_step;
  Chain other_end = at_step;
  const Schedule& difference = kDifferences[vector];
  for (std::size_t t = step; t < 80; ++t) end = forward(t, end, w[t]);
  for (std::size_t t = step; t < 80; ++t) other_end = forward(t, other_end, w[t] ^ difference[t]);
  for (std::size_t t = step; t-- > 0;) other_start = backward(t, other_start, w[t] ^ difference[t]);
  Chain before;
  Chain after;
  for (std::size_t i = 0; i < 5; ++i) {
    after[i] = other_start[i] + other_end[i];
    before[i] = after[i] - end[i];
  }
  candidate.before.set(before);
  candidate.after.set(after);
  return candidate;
}

TEST(Sha1Retest, KnowsACollisionAlongEveryVectorInEveryLane) {
  std::mt19937_64 random(31);
  for (std::uint32_t vector = 0; vector < kVectors.size(); ++vector) {
    const Candidate guilty = colliding_candidate(vector, random);
    EXPECT_TRUE(retest_one(guilty));
    for (int i = 0; i < 5; ++i) {
      Candidate harmless = guilty;
      Chain after = harmless.after.chain();
      after[static_cast<std::size_t>(i)] ^= 1U << (vector % 32);
      harmless.after.set(after);
      EXPECT_FALSE(retest_one(harmless));
    }
    for (std::size_t count = 1; count <= kCandidateLanes; ++count) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        std::array<Candidate, kCandidateLanes> candidates;
        for (Candidate& candidate : candidates) {
          candidate = colliding_candidate(static_cast<std::uint32_t>(random() % kVectors.size()), random);
          candidate.block[lane] ^= std::byte{1};
        }
        candidates[lane] = guilty;
        for (const Sha1Kernel name : sha1_support::kernels()) {
          ASSERT_EQ(find_kernel(name)->retest(candidates.data(), count), 1U << lane)
              << sha1_kernel_name(name) << ", vector " << vector << ", " << count << " candidates";
        }
      }
    }
  }
}

}  // namespace
}  // namespace pfetch::base::sha1_internal
