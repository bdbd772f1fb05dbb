// SHA-1 as a digest: the published examples, every length, every cut, against OpenSSL, by every kernel.
#include "base/sha1.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/base/sha1_support.h"

namespace pfetch::base {
namespace {

using sha1_support::hex;
using sha1_support::kernels;
using sha1_support::random_bytes;

std::string plain(Bytes bytes) {
  PlainSha1 plain;
  plain.update(bytes);
  return hex(plain.finish());
}

class Sha1OfKernel : public testing::TestWithParam<Sha1Kernel> {};
INSTANTIATE_TEST_SUITE_P(Sha1, Sha1OfKernel, testing::ValuesIn(kernels()),
                         [](const auto& kernel) { return sha1_kernel_name(kernel.param); });

TEST_P(Sha1OfKernel, GivesThePublishedDigests) {
  const struct {
    std::string message;
    const char* digest;
  } examples[] = {
      {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrst"
       "u",
       "a49b2446a02c645bf419f995b67091253a04a259"},
      {std::string(1'000'000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
  };
  for (const auto& example : examples) {
    Sha1 sha1(GetParam());
    sha1.update(as_bytes(example.message));
    const Sha1::Result result = sha1.finish();
    EXPECT_EQ(hex(result.digest), example.digest);
    EXPECT_FALSE(result.attack);
    EXPECT_EQ(hex(sha1_checked({}, as_bytes(example.message), GetParam()).digest), example.digest);
  }
}

TEST_P(Sha1OfKernel, AgreesWithOpensslAtEveryLength) {
  const auto bytes = random_bytes(9000, 1);
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 300; ++size) sizes.push_back(size);
  for (const std::size_t blocks : {16, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
    for (std::size_t size = blocks * 64 - 10; size < blocks * 64 + 10; ++size) sizes.push_back(size);
  }
  for (const std::size_t size : sizes) {
    const Bytes message(bytes.data(), size);
    const std::string expected = plain(message);
    Sha1 sha1(GetParam());
    sha1.update(message);
    ASSERT_EQ(hex(sha1.finish().digest), expected) << size << " bytes";
    for (const std::size_t head : {0, 1, 11, 63, 64, 65, 200}) {
      if (head > size) continue;
      ASSERT_EQ(hex(sha1_checked(message.first(head), message.subspan(head), GetParam()).digest), expected)
          << size << " bytes, " << head << " in the head";
    }
  }
}

TEST_P(Sha1OfKernel, DoesNotCareHowTheMessageIsCut) {
  const auto bytes = random_bytes(20'000, 2);
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const Bytes message(bytes.data(), random() % bytes.size());
    Sha1 sha1(GetParam());
    for (std::size_t at = 0; at < message.size();) {
      const std::size_t size = std::min<std::size_t>(message.size() - at, random() % (round % 2 == 0 ? 100 : 9000));
      sha1.update(message.subspan(at, size));
      at += size;
    }
    ASSERT_EQ(hex(sha1.finish().digest), plain(message)) << "round " << round;
  }
}

TEST_P(Sha1OfKernel, HashesManyMessagesAtOnce) {
  const auto bytes = random_bytes(100'000, 4);
  std::mt19937_64 random(5);
  for (const std::size_t count : {0, 1, 2, 3, 7, 40, 300}) {
    std::vector<Sha1Job> jobs;
    for (std::size_t i = 0; i < count; ++i) {
      const Bytes head(bytes.data() + i, random() % 20);
      const Bytes body(bytes.data() + random() % 1000, random() % (i % 10 == 0 ? 90'000 : 900));
      jobs.push_back({head, body, {}, true});
    }
    sha1_many(jobs, GetParam());
    for (std::size_t i = 0; i < count; ++i) {
      PlainSha1 expected;
      expected.update(jobs[i].head);
      expected.update(jobs[i].body);
      ASSERT_EQ(hex(jobs[i].digest), hex(expected.finish())) << "job " << i << " of " << count;
      ASSERT_FALSE(jobs[i].attack);
    }
  }
}

TEST(PlainSha1, PeeksWithoutEndingTheMessage) {
  PlainSha1 sha1;
  sha1.update(as_bytes("ab"));
  EXPECT_EQ(hex(sha1.peek()), plain(as_bytes("ab")));
  sha1.update(as_bytes("c"));
  EXPECT_EQ(hex(sha1.finish()), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1.finish()), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

}  // namespace
}  // namespace pfetch::base
