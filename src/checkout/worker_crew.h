// Threads that take jobs from one shared queue, as many of them as a WorkerControl finds right.
//
// A job is what one worker does without looking up: a directory's files, or a slice of a huge directory. There is no
// fixed split, so whoever is done first takes the next one; put the large ones first. The calling thread is one of the
// workers; the others are started when the number grows, and wait on a condition variable, between two jobs, while it
// is smaller. Samples for the control are taken by whoever reports progress when one is due; there is no timer.
//
// `run` belongs to one thread and may be called again, one run at a time: what was learned stays. `progress` may be
// called from any job. Errors: the first one of a job stops the others, through the Cancellation, and `run` throws it.
#pragma once

#include <time.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/thread_group.h"
#include "checkout/worker_control.h"

namespace pfetch::checkout {

class WorkerCrew {
 public:
  // What a worker did in the last run.
  struct Worker {
    std::uint64_t jobs = 0;
    double busy_seconds = 0;   // in jobs
    double cpu_seconds = 0;    // with a processor
    double ended_seconds = 0;  // when its last job was done, from the start of the run
    bool parked = false;       // it was not needed any more when the jobs ran out
  };

  WorkerCrew(WorkerControl control, base::Cancellation& cancel);

  // Calls job(0) … job(job_count − 1), each once, and returns when all are done.
  void run(std::size_t job_count, const std::function<void(std::size_t job)>& job);
  // A job has done so much more. Called often, for each file.
  void progress(std::uint64_t files, std::uint64_t bytes);

  // After a run, or from the thread that runs it.
  const std::vector<Worker>& workers() const { return workers_; }
  // How much later than the mean the last worker ended, of those that worked to the end: 0.1 is 10 % of the run's mean.
  double imbalance() const;
  // What the control says, and the balance: for people.
  std::string describe() const;
  const WorkerControl& control() const { return control_; }

 private:
  struct Run;
  using Lock = std::unique_lock<std::mutex>;

  void work(Run& run, std::size_t number);
  // Waits while there are more workers than needed. False when there are no more jobs.
  bool wait_until_needed(Run& run, std::size_t number, Lock& lock);
  void start_missing(Run& run);
  void count_running(Run& run, int change);
  void begin_sample(Run& run);
  void look(Run& run);
  double cpu_seconds_of_all(const Run& run) const;

  base::Cancellation& cancel_;
  std::atomic<Run*> run_{nullptr};
  std::mutex mutex_;  // guards all below, and what Run says
  WorkerControl control_;
  std::vector<Worker> workers_;
};

}  // namespace pfetch::checkout
