// The ring, groups of threads, and how a request to stop reaches everything that waits.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "base/cancel.h"
#include "base/error.h"
#include "base/ring.h"
#include "base/thread_group.h"

namespace pfetch::base {
namespace {

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::usage;
}

TEST(Ring, CarriesEveryByteInOrderWhateverTheSizesOnBothSides) {
  constexpr std::size_t total = 100'000;
  for (const std::size_t writes : {1U, 100U, 4096U, 10000U}) {
    for (const std::size_t reads : {1U, 99U, 4096U}) {
      if (writes == 1 && reads == 1) continue;  // slow, and covered by its neighbours
      Ring ring(4096);
      ASSERT_EQ(ring.capacity() % 4096, 0U);
      std::thread writer([&] {
        for (std::size_t sent = 0; sent < total;) {
          auto space = ring.wait_space();
          const std::size_t count = std::min({space.size(), writes, total - sent});
          for (std::size_t i = 0; i < count; ++i) space[i] = static_cast<std::byte>((sent + i) * 7 % 251);
          ring.produce(count);
          sent += count;
        }
        ring.end();
      });
      std::size_t seen = 0;
      std::size_t wrong = 0;
      for (;;) {
        const Bytes data = ring.wait_data(std::min(reads, ring.capacity()));
        if (data.empty()) break;
        const std::size_t count = std::min(data.size(), reads);
        for (std::size_t i = 0; i < count; ++i) wrong += data[i] != static_cast<std::byte>((seen + i) * 7 % 251);
        ring.consume(count);
        seen += count;
      }
      writer.join();
      EXPECT_TRUE(ring.ended());
      EXPECT_EQ(seen, total);
      EXPECT_EQ(wrong, 0U) << writes << ", " << reads;
    }
  }
}

TEST(Ring, GivesContiguousBytesAcrossItsEdge) {
  Ring ring(4096);
  const std::size_t capacity = ring.capacity();
  ring.produce(ring.wait_space().size());
  ring.consume(ring.wait_data(1).size() - 3);  // three bytes before the edge stay
  auto space = ring.wait_space();
  ASSERT_EQ(space.size(), capacity - 3);
  std::memset(space.data(), 'x', space.size());
  ring.produce(space.size());
  const Bytes all = ring.wait_data(capacity);
  ASSERT_EQ(all.size(), capacity);
  EXPECT_EQ(as_text(all.subspan(3)), std::string(capacity - 3, 'x'));
}

TEST(Ring, GivesTheRestWhenTheStreamHasEnded) {
  Ring ring(4096);
  std::memcpy(ring.wait_space().data(), "abc", 3);
  ring.produce(3);
  EXPECT_FALSE(ring.ended());
  ring.end();
  EXPECT_EQ(as_text(ring.wait_data(4096)), "abc");
  ring.consume(3);
  EXPECT_TRUE(ring.wait_data(1).empty());
}

TEST(Ring, WakesBothSidesWhenItIsAborted) {
  Ring full(4096);
  full.produce(full.wait_space().size());
  Ring empty(4096);
  std::atomic<int> cancelled{0};
  std::thread writer([&] { cancelled += code_of([&] { full.wait_space(); }) == ErrorCode::cancelled ? 1 : 0; });
  std::thread reader([&] { cancelled += code_of([&] { empty.wait_data(1); }) == ErrorCode::cancelled ? 1 : 0; });
  full.abort();
  empty.abort();
  writer.join();
  reader.join();
  EXPECT_EQ(cancelled.load(), 2);
  EXPECT_EQ(code_of([&] { full.wait_data(1); }), ErrorCode::cancelled);
}

TEST(ThreadGroup, RethrowsTheFirstErrorThatIsNotMerelyCancelled) {
  for (int round = 0; round < 20; ++round) {
    Cancellation cancel;
    ThreadGroup threads(cancel);
    std::atomic<bool> one_is_cancelled{false};
    threads.start("cancelled", [&] {
      one_is_cancelled = true;
      one_is_cancelled.notify_all();
      throw Error(ErrorCode::cancelled, "interrupted");
    });
    threads.start("real", [&] {
      one_is_cancelled.wait(false);
      throw Error(ErrorCode::corrupt, "the reason");
    });
    EXPECT_EQ(code_of([&] { threads.join(); }), ErrorCode::corrupt);
    EXPECT_TRUE(cancel.requested());
  }
}

TEST(ThreadGroup, KeepsTheFirstOfTwoErrors) {
  Cancellation cancel;
  ThreadGroup threads(cancel);
  threads.run_here([] { throw Error(ErrorCode::io, "first"); });
  threads.run_here([] { throw Error(ErrorCode::corrupt, "second"); });
  EXPECT_EQ(code_of([&] { threads.join(); }), ErrorCode::io);
  threads.join();  // and no more
}

TEST(ThreadGroup, StopsTheOthersAtTheFirstError) {
  Cancellation cancel;
  ThreadGroup threads(cancel);
  threads.start("waits", [&] {
    pollfd polled{cancel.fd(), POLLIN, 0};
    ::poll(&polled, 1, -1);
  });
  threads.start("fails", [] { throw Error(ErrorCode::io, "x"); });
  EXPECT_EQ(code_of([&] { threads.join(); }), ErrorCode::io);
}

TEST(ThreadGroup, TurnsShortMemoryIntoAnErrorAndPassesOthersOn) {
  Cancellation cancel;
  ThreadGroup threads(cancel);
  threads.run_here([] { throw std::bad_alloc(); });
  EXPECT_EQ(code_of([&] { threads.join(); }), ErrorCode::io);
  threads.run_here([] { throw std::runtime_error("strange"); });
  EXPECT_THROW(threads.join(), std::runtime_error);
}

TEST(Cancellation, WakesOnceAndAtOnceForLatecomers) {
  Cancellation cancel;
  int woken = 0;
  const Cancellation::Waker early(cancel, [&] { ++woken; });
  {
    const Cancellation::Waker gone(cancel, [&] { woken += 100; });
  }
  cancel.throw_if_requested();
  cancel.request(15);
  cancel.request(2);
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(cancel.signal(), 15);
  const Cancellation::Waker late(cancel, [&] { ++woken; });
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(code_of([&] { cancel.throw_if_requested(); }), ErrorCode::cancelled);
}

TEST(Cancellation, EndsAWaitForADescriptor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd in(ends[0]);
  const UniqueFd out(ends[1]);
  Cancellation cancel;
  wait_writable(out.get(), cancel);
  ASSERT_EQ(::write(out.get(), "x", 1), 1);
  wait_readable(in.get(), cancel);
  char c;
  ASSERT_EQ(::read(in.get(), &c, 1), 1);
  std::thread other([&] { cancel.request(); });
  EXPECT_EQ(code_of([&] { wait_readable(in.get(), cancel); }), ErrorCode::cancelled);
  other.join();
}

}  // namespace
}  // namespace pfetch::base
