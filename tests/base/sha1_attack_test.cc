// The verdict: both halves of two public collisions are found by every kernel, however they come; neighbours are not.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/sha1.h"
#include "tests/support/sha1_collisions.h"
#include "tests/base/sha1_support.h"

namespace pfetch::base {
namespace {

using sha1_support::hex;
using sha1_support::random_bytes;

std::vector<std::vector<std::byte>> colliding_messages() {
  const auto shattered = sha1_collisions::shattered();
  const auto shambles = sha1_collisions::shambles();
  return {shattered.one, shattered.two, shambles.one, shambles.two};
}

class Sha1AttackOfKernel : public testing::TestWithParam<Sha1Kernel> {};
INSTANTIATE_TEST_SUITE_P(Sha1, Sha1AttackOfKernel, testing::ValuesIn(sha1_support::kernels()),
                         [](const auto& kernel) { return sha1_kernel_name(kernel.param); });

TEST_P(Sha1AttackOfKernel, CallsBothHalvesOfACollisionAnAttackAndKeepsTheTrueDigest) {
  for (const auto& pair : {sha1_collisions::shattered(), sha1_collisions::shambles()}) {
    const auto one = sha1_checked({}, pair.one, GetParam());
    const auto two = sha1_checked({}, pair.two, GetParam());
    EXPECT_TRUE(one.attack);
    EXPECT_TRUE(two.attack);
    EXPECT_EQ(hex(one.digest), hex(two.digest));
    PlainSha1 plain;
    plain.update(pair.one);
    EXPECT_EQ(hex(one.digest), hex(plain.finish()));
    EXPECT_FALSE(std::equal(pair.one.begin(), pair.one.end(), pair.two.begin()));
  }
}

TEST_P(Sha1AttackOfKernel, FindsTheAttackAtEveryCut) {
  for (const auto& message : colliding_messages()) {
    const Bytes bytes(message);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      Sha1 sha1(GetParam());
      sha1.update(bytes.first(cut));
      sha1.update(bytes.subspan(cut));
      ASSERT_TRUE(sha1.finish().attack) << "cut at " << cut;
      ASSERT_TRUE(sha1_checked(bytes.first(cut), bytes.subspan(cut), GetParam()).attack) << "cut at " << cut;
    }
    Sha1 sha1(GetParam());
    for (std::size_t i = 0; i < bytes.size(); ++i) sha1.update(bytes.subspan(i, 1));
    ASSERT_TRUE(sha1.finish().attack);
  }
}

TEST_P(Sha1AttackOfKernel, FindsTheAttackBeforeAnyLengthOfOtherBlocks) {
  for (const auto& message : colliding_messages()) {
    for (const std::size_t blocks : {1, 3, 50, 58, 59, 245, 246, 247, 300}) {
      std::vector<std::byte> longer = message;
      const auto rest = random_bytes(blocks * 64 + 5, blocks);
      longer.insert(longer.end(), rest.begin(), rest.end());
      ASSERT_TRUE(sha1_checked({}, longer, GetParam()).attack) << blocks << " more blocks";
    }
  }
}

TEST_P(Sha1AttackOfKernel, DoesNotAccuseTheNeighbours) {
  for (const auto& message : colliding_messages()) {
    for (std::size_t i = 0; i < message.size(); ++i) {
      auto neighbour = message;
      neighbour[i] ^= static_cast<std::byte>(1U << (i % 8));
      ASSERT_FALSE(sha1_checked({}, neighbour, GetParam()).attack) << "byte " << i;
    }
    EXPECT_FALSE(sha1_checked(as_bytes("blob 640"), message, GetParam()).attack);
  }
}

TEST_P(Sha1AttackOfKernel, AccusesOnlyTheGuiltyAmongMany) {
  const auto messages = colliding_messages();
  const auto noise = random_bytes(50'000, 9);
  for (std::size_t place = 0; place < 40; ++place) {
    std::vector<Sha1Job> jobs;
    for (std::size_t i = 0; i < 40; ++i) {
      const Bytes harmless(noise.data() + 31 * i, (i * 7919) % 3000 + (i == 5 ? 40'000 : 0));
      jobs.push_back({{}, i == place ? Bytes(messages[place % 4]) : harmless, {}, i != place});
    }
    sha1_many(jobs, GetParam());
    for (std::size_t i = 0; i < jobs.size(); ++i) ASSERT_EQ(jobs[i].attack, i == place) << i << ", guilty: " << place;
  }
}

TEST_P(Sha1AttackOfKernel, ForgetsTheVerdictWithTheMessage) {
  Sha1 sha1(GetParam());
  sha1.update(sha1_collisions::shattered().one);
  EXPECT_TRUE(sha1.finish().attack);
  sha1.update(as_bytes("abc"));
  EXPECT_FALSE(sha1.finish().attack);
}

}  // namespace
}  // namespace pfetch::base
