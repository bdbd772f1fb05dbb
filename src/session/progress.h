// What a command is doing, for whoever draws its progress: the stage in words, and the counters of stages that move.
//
// The command sets the pointers while the things they point to live; the reader copies figures under the same lock.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "checkout/engine.h"
#include "pack/ingest_counters.h"

namespace pfetch::session {

struct ProgressFigures {
  const char* stage = "";
  bool known = false;      // the figures of the pack are valid
  bool receiving = false;  // and still move
  std::uint64_t bytes_received = 0;
  std::uint32_t objects_claimed = 0;
  std::uint32_t objects_scanned = 0;
  std::uint32_t objects_resolved = 0;
  bool writing = false;   // the figures of the worktree are valid
  bool updating = false;  // it is a worktree that is there: nothing is received
  std::uint64_t files_planned = 0;
  std::uint64_t files_written = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t files_to_filter = 0;
  std::uint64_t files_filtered = 0;
};

// Any thread.
class Progress {
 public:
  void set_stage(const char* stage);  // a literal
  void watch(const pack::IngestCounters* ingest, const checkout::CheckoutCounters* checkout);
  ProgressFigures figures() const;

 private:
  ProgressFigures current() const;

  mutable std::mutex mutex_;  // guards all below
  const char* stage_ = "";
  const pack::IngestCounters* ingest_ = nullptr;
  const checkout::CheckoutCounters* checkout_ = nullptr;
  ProgressFigures last_;  // when the counters were last there
};

// Shows a command's counters as long as it lives; declare it after what is counted.
class ProgressWatch {
 public:
  explicit ProgressWatch(Progress& progress) : progress_(progress) {}
  ~ProgressWatch() { progress_.watch(nullptr, nullptr); }
  ProgressWatch(const ProgressWatch&) = delete;
  ProgressWatch& operator=(const ProgressWatch&) = delete;
  void on(const pack::IngestCounters& ingest, const checkout::CheckoutCounters* checkout) {
    progress_.watch(&ingest, checkout);
  }

 private:
  Progress& progress_;
};

// How long each stage took, one after the other.
struct StageTime {
  std::string name;
  double seconds = 0;
};

class StageClock {
 public:
  explicit StageClock(Progress& progress) : progress_(progress) {}
  // Ends the stage before and begins this one.
  void begin(const char* name);
  void end();
  const std::vector<StageTime>& stages() const { return stages_; }
  double total_seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  Progress& progress_;
  const Clock::time_point first_ = Clock::now();
  Clock::time_point started_{};
  bool running_ = false;
  std::vector<StageTime> stages_;
};

}  // namespace pfetch::session
