#include "checkout/worker_crew.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <numeric>
#include <set>
#include <thread>

#include "base/error.h"

namespace pfetch::checkout {
namespace {

WorkerControl fixed(unsigned workers) {
  WorkerCircumstances asked;
  asked.asked_for = workers;
  return WorkerControl(asked);
}

WorkerControl adapting(FileSystemKind kind, std::uint64_t files) {
  WorkerCircumstances found;
  found.file_system = {kind, "fake"};
  found.processors = 2;
  found.files = files;
  return WorkerControl(found);
}

// Waits as a slow file system makes a thread wait.
void pass_time() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Crew : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Crew, testing::Values(1U, 2U, 16U, 64U));

TEST_P(Crew, DoesEachJobOnce) {
  base::Cancellation cancel;
  WorkerCrew crew(fixed(GetParam()), cancel);
  for (const std::size_t count : {0U, 1U, 3U, 5000U}) {
    std::vector<std::atomic<int>> done(count);
    crew.run(count, [&](std::size_t job) {
      done[job].fetch_add(1);
      crew.progress(1, 10);
    });
    for (const auto& times : done) ASSERT_EQ(times.load(), 1);
    std::uint64_t jobs = 0;
    for (const WorkerCrew::Worker& worker : crew.workers()) jobs += worker.jobs;
    EXPECT_EQ(jobs, count);
    EXPECT_LE(crew.workers().size(), std::max<std::size_t>(1, std::min<std::size_t>(count, GetParam())));
  }
}

TEST_P(Crew, WorksOnAsManyJobsAtOnceAsItHasWorkers) {
  base::Cancellation cancel;
  WorkerCrew crew(fixed(GetParam()), cancel);
  std::latch all(GetParam());
  std::mutex mutex;
  std::set<std::thread::id> threads;
  crew.run(GetParam(), [&](std::size_t) {
    all.arrive_and_wait();  // hangs unless all are in a job at the same time
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), GetParam());
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST_P(Crew, StopsAtTheFirstErrorAndThrowsIt) {
  base::Cancellation cancel;
  WorkerCrew crew(fixed(GetParam()), cancel);
  std::atomic<std::size_t> begun{0};
  try {
    crew.run(1'000'000, [&](std::size_t job) {
      begun.fetch_add(1);
      if (job == 20) throw Error(ErrorCode::io, "could not write 'x'");
      cancel.throw_if_requested();
    });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "could not write 'x'");
  }
  EXPECT_LT(begun.load(), 1'000'000U);
  EXPECT_TRUE(cancel.requested());
}

TEST_P(Crew, StopsWhenCancelled) {
  base::Cancellation cancel;
  WorkerCrew crew(fixed(GetParam()), cancel);
  std::atomic<std::size_t> begun{0};
  try {
    crew.run(1'000'000, [&](std::size_t) {
      if (begun.fetch_add(1) == 30) cancel.request(SIGINT);
    });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_LT(begun.load(), 1'000'000U);
  EXPECT_THROW(crew.run(1, [](std::size_t) { FAIL() << "after a request to stop"; }), Error);
}

TEST(WorkerCrew, GrowsWhileItsWorkersSleep) {
  base::Cancellation cancel;
  WorkerCrew crew(adapting(FileSystemKind::local, 20'000), cancel);
  ASSERT_EQ(crew.control().workers(), 2U);
  std::atomic<std::uint64_t> sum{0};
  crew.run(2000, [&](std::size_t job) {
    for (int file = 0; file < 10; ++file) {
      pass_time();
      crew.progress(1, 100);
    }
    sum.fetch_add(job);
  });
  EXPECT_EQ(sum.load(), 1999U * 2000 / 2);
  EXPECT_GE(crew.workers().size(), 16U) << crew.describe();
}

TEST(WorkerCrew, ParksWorkersThatOnlyHinderEachOther) {
  base::Cancellation cancel;
  WorkerCrew crew(adapting(FileSystemKind::network, 1000), cancel);
  ASSERT_EQ(crew.control().workers(), 32U);
  std::mutex server;  // one at a time
  std::atomic<int> done{0};
  crew.run(1000, [&](std::size_t) {
    {
      const std::lock_guard lock(server);
      pass_time();
    }
    done.fetch_add(1);
    crew.progress(1, 100);
  });
  EXPECT_EQ(done.load(), 1000);
  const auto parked =
      std::count_if(crew.workers().begin(), crew.workers().end(), [](const auto& w) { return w.parked; });
  EXPECT_GE(parked, 4) << crew.describe();
}

TEST(WorkerCrew, WakesParkedWorkersToEndWithAnError) {
  base::Cancellation cancel;
  WorkerCrew crew(adapting(FileSystemKind::network, 1000), cancel);
  std::mutex server;
  EXPECT_THROW(crew.run(1000,
                        [&](std::size_t job) {
                          if (job == 800) throw Error(ErrorCode::io, "disk full");
                          const std::lock_guard lock(server);
                          pass_time();
                          crew.progress(1, 100);
                        }),
               Error);
}

TEST(WorkerCrew, SaysHowEvenlyTheWorkWasSpread) {
  base::Cancellation cancel;
  WorkerCrew crew(fixed(2), cancel);
  std::latch both_began(2);  // so that nobody does both
  std::latch first_is_done(1);
  crew.run(2, [&](std::size_t job) {
    both_began.arrive_and_wait();
    if (job == 0) {
      pass_time();
      first_is_done.count_down();
    } else {
      first_is_done.wait();
      for (int i = 0; i < 50; ++i) pass_time();
    }
  });
  EXPECT_GT(crew.imbalance(), 0.1);
  EXPECT_THAT(crew.describe(), testing::HasSubstr("2 workers: checkout.workers; the last one ended "));
  for (const WorkerCrew::Worker& worker : crew.workers()) {
    EXPECT_EQ(worker.jobs, 1U);
    EXPECT_LE(worker.cpu_seconds, worker.busy_seconds + 0.1);
    EXPECT_GT(worker.ended_seconds, 0);
  }
  crew.run(1, [](std::size_t) {});
  EXPECT_EQ(crew.imbalance(), 0);
}

}  // namespace
}  // namespace pfetch::checkout
