#include "base/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace pfetch::base {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

SharedBytes filled(BufferPool& pool, std::size_t size, int value) {
  std::byte* into = nullptr;
  SharedBytes bytes = pool.allocate(size, &into);
  std::memset(into, value, size);
  return bytes;
}

TEST(BufferPool, GivesTheAskedSizeWhateverTheClass) {
  const auto pool = std::make_shared<BufferPool>(8 * MiB);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1024}, std::size_t{1025}, std::size_t{1280},
        std::size_t{1281}, std::size_t{5000}, MiB - 1, MiB, MiB + 1, 3 * MiB, 32 * MiB, 32 * MiB + 1}) {
    const SharedBytes bytes = filled(*pool, size, 0x5a);
    EXPECT_EQ(bytes.size(), size);
    for (std::size_t i = 0; i < size; i += 997) ASSERT_EQ(bytes.data()[i], std::byte{0x5a});
  }
}

TEST(BufferPool, UsesABufferAgainForOneOfItsSize) {
  const auto pool = std::make_shared<BufferPool>(8 * MiB);
  const std::byte* first = filled(*pool, 100'000, 1).data();
  EXPECT_EQ(filled(*pool, 99'000, 2).data(), first);
}

TEST(BufferPool, NeverSharesABufferThatIsInUse) {
  const auto pool = std::make_shared<BufferPool>(8 * MiB);
  const SharedBytes one = filled(*pool, 4000, 1);
  const SharedBytes copy = one;
  const SharedBytes other = filled(*pool, 4000, 2);
  EXPECT_NE(one.data(), other.data());
  EXPECT_EQ(copy.data()[3999], std::byte{1});
}

TEST(BufferPool, KeepsWithinItsBudgetAndLetsTheOldestGoFirst) {
  const auto pool = std::make_shared<BufferPool>(4 * MiB);
  const std::byte* old = filled(*pool, MiB, 1).data();
  { const SharedBytes newer = filled(*pool, 2 * MiB, 2); }
  EXPECT_EQ(pool->usage().idle_bytes, 3 * MiB);
  const SharedBytes live = filled(*pool, MiB + MiB / 2, 3);  // no room beside both idle ones
  EXPECT_EQ(pool->usage().idle_bytes, 2 * MiB);
  EXPECT_EQ(pool->usage().live_bytes, MiB + MiB / 2);
  EXPECT_NE(old, nullptr);
}

TEST(BufferPool, KeepsNothingIdleWhenWhatIsInUseFillsTheBudget) {
  const auto pool = std::make_shared<BufferPool>(MiB);
  const SharedBytes large = filled(*pool, 2 * MiB, 1);
  { const SharedBytes small = filled(*pool, 4096, 2); }
  EXPECT_EQ(pool->usage().idle_bytes, 0U);
}

TEST(BufferPool, LivesAsLongAsItsBuffers) {
  auto pool = std::make_shared<BufferPool>(8 * MiB);
  const SharedBytes bytes = filled(*pool, 50'000, 7);
  const std::weak_ptr<BufferPool> watched = pool;
  pool.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(bytes.data()[49'999], std::byte{7});
}

TEST(BufferPool, ServesManyThreads) {
  const auto pool = std::make_shared<BufferPool>(2 * MiB);
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t size = 1024 + (i * 7919) % 60'000;
        const SharedBytes bytes = filled(*pool, size, t);
        ASSERT_EQ(bytes.data()[size - 1], std::byte(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool->usage().live_bytes, 0U);
  EXPECT_LE(pool->usage().idle_bytes, 2 * MiB);
}

}  // namespace
}  // namespace pfetch::base
