// How many threads write files at this moment.
//
// The problem: on a local disk more writers than processors gain nothing, on a network mount with a millisecond for
// each operation 64 are 64 times as fast as one, and in between a server, a lock or a program saturates somewhere. No
// table knows: a FUSE mount may be either. The way: begin with a number that suits the kind of file system and the size
// of the job, then climb. While workers mostly sleep in the kernel, twice as many are tried for one sample, and kept if
// clearly more gets done; if not, half as many are tried, and kept if no less gets done; then smaller steps. Once no
// step is better the number rests, and is looked at again now and then, or when the pace changes much.
//
// Pure: no clock and no threads inside; samples go in, a number comes out. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkout/file_system_kind.h"

namespace pfetch::checkout {

inline constexpr unsigned workers_max = 64;       // that are found by measuring
inline constexpr unsigned workers_set_max = 256;  // that can be asked for

// What the number depends on before anything has been measured.
struct WorkerCircumstances {
  unsigned processors = 1;  // checkout/cpu_quota
  FileSystem file_system;
  std::uint64_t files = 0;  // of the whole job
  std::uint64_t bytes = 0;  // as far as is known
  // Of the user's: a number that holds, and the number of files below which there is one worker.
  std::optional<unsigned> asked_for;
  std::optional<std::uint64_t> parallel_from;
  std::string asked_by = "checkout.workers";  // for `reason`
};

// What was done in a stretch of time in which the number of workers did not change.
struct WorkerSample {
  double seconds = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  double worker_seconds = 0;  // how long workers were at work, all together
  double cpu_seconds = 0;     // how long they had a processor, all together
};

class WorkerControl {
 public:
  explicit WorkerControl(WorkerCircumstances circumstances);

  unsigned workers() const { return workers_; }
  // The most there will ever be.
  unsigned most() const { return most_; }
  // Whether samples can change the number.
  bool adapts() const { return floor_ < most_; }
  // Whether so much, done by `workers()`, is a sample that says something.
  bool enough(double seconds, std::uint64_t files) const;
  // The number from now on.
  unsigned next(const WorkerSample& sample);
  // How many files of one directory make a good job, and whether jobs of one directory should not be neighbours in the
  // queue. Creating a file locks its directory: where each operation waits, workers that share a directory wait for
  // each other, so its files are taken a few at a time, in turn with those of all others. Measured with 2,000 files, a
  // millisecond per operation and 64 workers: 0.43 s with whole directories of 20, 0.30 s with slices of 5 in turn,
  // 0.62 s with the same slices one after the other.
  std::size_t files_per_job() const;
  bool spreads_jobs() const;
  // The system grants no more than so many threads.
  void limit(unsigned workers);

  // "16 workers: network file system (nfs), workers sleep 93 % of the time".
  std::string reason() const;

 private:
  enum Step : std::uint8_t { double_up, halve, small_up, small_down, step_count };
  static bool is_up(Step step) { return step == double_up || step == small_up; }

  void choose_start();
  unsigned after(Step step) const;
  void judge(double rate);
  void watch(double rate);
  void search_again(bool whole);
  std::optional<Step> next_step() const;

  const WorkerCircumstances circumstances_;
  std::string why_;  // what decided, before measuring
  unsigned floor_ = 1;
  unsigned most_ = 1;
  unsigned workers_ = 1;

  unsigned home_ = 1;              // the best number so far; another one is being tried while workers_ differs from it
  double home_rate_ = 0;           // work per second there; 0: not measured
  Step trial_ = double_up;         // how workers_ came from home_
  bool useless_[step_count] = {};  // steps from home_ that were tried, or need not be
  unsigned rest_ = 0;              // samples until the next look around
  unsigned patience_;
  unsigned strange_ = 0;  // samples in a row whose rate was nothing like home_rate_

  bool measured_ = false;
  double asleep_ = 0;  // share of the workers' time
  bool processors_full_ = false;
};

}  // namespace pfetch::checkout
