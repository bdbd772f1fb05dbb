// The controller beside simulated file systems: it must find a number that is nearly as good as the best one, and soon.
#include "checkout/worker_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/support/seeds.h"

namespace pfetch::checkout {
namespace {

const FileSystem ext4{FileSystemKind::local, "ext4"};
const FileSystem nfs{FileSystemKind::network, "nfs"};

WorkerCircumstances job(const FileSystem& file_system, std::uint64_t files = 100'000, unsigned processors = 2) {
  WorkerCircumstances made;
  made.processors = processors;
  made.file_system = file_system;
  made.files = files;
  made.bytes = files * 1000;
  return made;
}

struct Simulated {
  std::function<double(unsigned)> rate;  // files per second with so many workers
  double cpu_per_file = 20e-6;
  double processors = 2;

  WorkerSample sample(unsigned workers, double noise = 1) const {
    WorkerSample sample;
    sample.seconds = 0.02;
    sample.files = static_cast<std::uint64_t>(rate(workers) * noise * sample.seconds + 0.5);
    sample.worker_seconds = workers * sample.seconds;
    sample.cpu_seconds = std::min(
        {static_cast<double>(sample.files) * cpu_per_file, workers * sample.seconds, processors * sample.seconds});
    return sample;
  }
  double best() const {
    double most = 0;
    for (unsigned n = 1; n <= workers_max; ++n) most = std::max(most, rate(n));
    return most;
  }
};

Simulated latency_bound() {
  return {[](unsigned n) { return n * 200.0; }};
}
Simulated cpu_bound() {
  return {[](unsigned n) { return std::min(n, 2U) * 20'000.0 * (1 - 0.001 * n); }, 50e-6};
}
// One directory's lock: two may prepare beside the one that holds it, more only hand it round.
Simulated lock_bound() {
  return {[](unsigned n) { return n <= 2 ? n * 5000.0 : 10'000.0 / (1 + 0.08 * (n - 2)); }, 10e-6};
}
Simulated saturating_at(double limit, double decline) {
  return {[=](unsigned n) { return 200.0 * std::min<double>(n, limit) / (1 + decline * std::max(0.0, n - limit)); }};
}

struct Course {
  unsigned decisions_until_good = 0;  // until the number is within 15 % of the best, for the first time
  double share_of_best = 0;           // of what could have been done after the first twelve decisions
  unsigned last = 0;
};

Course follow(WorkerControl& control, const Simulated& world, unsigned decisions, unsigned seed = 0) {
  std::mt19937 dice(seed);
  std::uniform_real_distribution<double> noise(0.92, 1.08);
  Course course;
  bool good = false;
  double done = 0;
  for (unsigned i = 0; i < decisions; ++i) {
    const unsigned workers = control.workers();
    good = good || world.rate(workers) >= 0.85 * world.best();
    if (!good) ++course.decisions_until_good;
    if (i >= 12) done += world.rate(workers);
    control.next(world.sample(workers, seed == 0 ? 1 : noise(dice)));
  }
  course.share_of_best = done / (world.best() * (decisions - 12));
  course.last = control.workers();
  return course;
}

TEST(WorkerControl, ClimbsToTheMostWhereEveryOperationWaits) {
  WorkerControl control(job(nfs));
  EXPECT_EQ(control.workers(), 32U);
  const Course course = follow(control, latency_bound(), 60);
  EXPECT_LE(course.decisions_until_good, 2U);
  EXPECT_GE(course.share_of_best, 0.95);
}

TEST(WorkerControl, ClimbsAlsoWhereTheKindOfFileSystemGaveNoHint) {
  WorkerControl control(job(ext4));
  EXPECT_EQ(control.workers(), 2U);
  const Course course = follow(control, latency_bound(), 60);
  EXPECT_LE(course.decisions_until_good, 5U);
  EXPECT_GE(course.share_of_best, 0.95);
}

TEST(WorkerControl, LeavesALocalDiskThatKeepsTheProcessorsBusyAlone) {
  WorkerControl control(job(ext4));
  for (int i = 0; i < 100; ++i) {
    control.next(cpu_bound().sample(control.workers()));
    ASSERT_EQ(control.workers(), 2U);
  }
}

TEST(WorkerControl, NeverGoesBelowItsStartOnALocalDisk) {
  WorkerControl control(job(ext4, 100'000, 8));
  for (int i = 0; i < 200; ++i) ASSERT_GE(control.next(lock_bound().sample(control.workers())), 8U);
}

TEST(WorkerControl, TakesWorkersAwayWhereTheyOnlyHinderEachOther) {
  WorkerControl control(job(nfs));
  const Course course = follow(control, lock_bound(), 60);
  EXPECT_LE(course.decisions_until_good, 6U);
  EXPECT_GE(course.share_of_best, 0.9);
}

TEST(WorkerControl, FindsWhereAServerSaturates) {
  for (const double decline : {0.0, 0.02, 0.1}) {
    for (const FileSystem& start : {ext4, nfs}) {
      WorkerControl control(job(start));
      const Course course = follow(control, saturating_at(12, decline), 80);
      EXPECT_LE(course.decisions_until_good, 8U) << decline << " " << start.name;
      EXPECT_GE(course.share_of_best, 0.85) << decline << " " << start.name;
    }
  }
}

TEST(WorkerControl, SettlesThoughSamplesAreNoisy) {
  const std::pair<const char*, Simulated> worlds[] = {{"latency", latency_bound()},
                                                      {"processors", cpu_bound()},
                                                      {"lock", lock_bound()},
                                                      {"server", saturating_at(12, 0.03)}};
  for (const auto& [name, world] : worlds) {
    for (unsigned seed = 1; seed <= test::seed_count(200); ++seed) {
      WorkerControl control(job(nfs));
      EXPECT_GE(follow(control, world, 120, seed).share_of_best, 0.85) << name << ", seed " << seed;
    }
  }
}

TEST(WorkerControl, SearchesAgainWhenThePaceChanges) {
  WorkerControl control(job(nfs));
  follow(control, lock_bound(), 40);
  ASSERT_LE(control.workers(), 4U);
  EXPECT_GE(follow(control, latency_bound(), 60).share_of_best, 0.9);
  EXPECT_GE(follow(control, lock_bound(), 60).share_of_best, 0.85);
}

TEST(WorkerControl, StartsNoThreadsForASmallJobOnALocalDisk) {
  EXPECT_EQ(WorkerControl(job(ext4, 150, 16)).workers(), 1U);
  EXPECT_EQ(WorkerControl(job({}, 150, 16)).workers(), 1U);
  EXPECT_EQ(WorkerControl(job({FileSystemKind::overlay, "overlayfs"}, 150, 16)).workers(), 1U);
  EXPECT_EQ(WorkerControl(job(ext4, 250, 16)).workers(), 2U);
  EXPECT_EQ(WorkerControl(job(ext4, 1000, 16)).workers(), 10U);
  EXPECT_EQ(WorkerControl(job(ext4, 100'000, 16)).workers(), 16U);
  EXPECT_EQ(WorkerControl(job(nfs, 250, 4)).workers(), 32U);
  EXPECT_EQ(WorkerControl(job(nfs, 6, 4)).workers(), 3U);
  EXPECT_EQ(WorkerControl(job(nfs, 0)).workers(), 1U);
  WorkerCircumstances few_but_large = job(ext4, 10, 4);
  few_but_large.bytes = 100 << 20;
  EXPECT_EQ(WorkerControl(few_but_large).workers(), 4U);
}

TEST(WorkerControl, NeverHasMoreWorkersThanFiles) {
  WorkerControl control(job(nfs, 20));
  for (int i = 0; i < 20; ++i) ASSERT_LE(control.next(latency_bound().sample(control.workers())), 20U);
}

TEST(WorkerControl, CutsJobsSmallAndInTurnWhereEachOperationWaits) {
  EXPECT_EQ(WorkerControl(job(nfs, 2000)).files_per_job(), 7U);
  EXPECT_EQ(WorkerControl(job(nfs, 250)).files_per_job(), 1U);
  EXPECT_EQ(WorkerControl(job(nfs, 1'000'000)).files_per_job(), 8U);
  EXPECT_TRUE(WorkerControl(job(nfs)).spreads_jobs());
  EXPECT_EQ(WorkerControl(job(ext4, 250)).files_per_job(), 32U);
  EXPECT_FALSE(WorkerControl(job(ext4)).spreads_jobs());
}

TEST(WorkerControl, ObeysWhatWasAskedFor) {
  WorkerCircumstances asked = job(nfs);
  asked.asked_for = 5;
  asked.parallel_from = 100;
  WorkerControl control(asked);
  EXPECT_FALSE(control.adapts());
  EXPECT_EQ(control.next(latency_bound().sample(5)), 5U);
  EXPECT_EQ(control.most(), 5U);
  asked.files = 99;
  EXPECT_EQ(WorkerControl(asked).most(), 1U);
  asked.files = 100;
  EXPECT_EQ(WorkerControl(asked).workers(), 5U);
  asked.asked_for = 100'000;
  EXPECT_EQ(WorkerControl(asked).workers(), workers_set_max);
}

TEST(WorkerControl, TakesASampleForEnoughOnlyWhenItSaysSomething) {
  const WorkerControl control(job(nfs));
  EXPECT_FALSE(control.enough(0.1, 32));
  EXPECT_FALSE(control.enough(0.001, 1000));
  EXPECT_TRUE(control.enough(0.01, 96));
  EXPECT_TRUE(control.enough(1.5, 1));
  EXPECT_FALSE(control.enough(1.5, 0));
}

TEST(WorkerControl, StaysBelowWhatTheSystemGrants) {
  WorkerControl control(job(nfs));
  control.limit(10);
  for (int i = 0; i < 50; ++i) ASSERT_LE(control.next(latency_bound().sample(control.workers())), 10U);
}

TEST(WorkerControl, SaysWhichNumberAndWhy) {
  using testing::HasSubstr;
  WorkerControl control(job(nfs));
  EXPECT_EQ(control.reason(), "32 workers: network file system (nfs)");
  for (int i = 0; i < 10; ++i) control.next(latency_bound().sample(control.workers()));
  EXPECT_THAT(control.reason(), HasSubstr("64 workers: network file system (nfs), workers sleep "));
  EXPECT_EQ(WorkerControl(job(ext4, 150)).reason(), "1 worker: 150 files on a local file system (ext4)");
  EXPECT_EQ(WorkerControl(job(ext4)).reason(), "2 workers: 2 processors, local file system (ext4)");
  WorkerCircumstances asked = job(nfs, 3);
  asked.asked_for = 8;
  EXPECT_EQ(WorkerControl(asked).reason(), "8 workers: checkout.workers");
  asked.parallel_from = 100;
  EXPECT_EQ(WorkerControl(asked).reason(), "1 worker: 3 files, checkout.thresholdForParallelism is 100");
}

}  // namespace
}  // namespace pfetch::checkout
