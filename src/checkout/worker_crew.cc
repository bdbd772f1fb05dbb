#include "checkout/worker_crew.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/trace.h"

namespace pfetch::checkout {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double seconds_of(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

struct WorkerCrew::Run {
  Run(std::size_t count, const std::function<void(std::size_t)>& each, base::Cancellation& cancel)
      : job_count(count), job(each), threads(cancel) {}

  const std::size_t job_count;
  const std::function<void(std::size_t)>& job;
  const Clock::time_point start = Clock::now();
  std::atomic<std::uint64_t> files{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> look_at{0};  // when `files` is so many, a sample may be due

  // Guarded by the crew's mutex.
  std::size_t next_job = 0;
  bool ended = false;              // no more jobs, or stopped
  std::size_t running = 0;         // workers between taking their first job and being parked or done
  std::condition_variable needed;  // parked workers wait here
  struct CpuClock {
    clockid_t clock{};
    double at_start = 0;
    bool alive = false;
  };
  std::vector<CpuClock> clocks;  // of each worker's thread
  double cpu_of_gone = 0;        // CPU seconds of those that have ended

  // The sample that is being taken.
  Clock::time_point sample_start = start;
  std::uint64_t sample_files = 0;
  std::uint64_t sample_bytes = 0;
  double sample_cpu = 0;

  base::ThreadGroup threads;  // started while the mutex is held and `ended` is not set; joined after that
};

WorkerCrew::WorkerCrew(WorkerControl control, base::Cancellation& cancel)
    : cancel_(cancel), control_(std::move(control)) {}

void WorkerCrew::run(std::size_t job_count, const std::function<void(std::size_t job)>& job) {
  cancel_.throw_if_requested();
  workers_.clear();
  Run run(job_count, job, cancel_);
  {
    const base::Cancellation::Waker waker(cancel_, [&] {
      const std::lock_guard lock(mutex_);
      run.ended = true;
      run.needed.notify_all();
    });
    {
      const std::lock_guard lock(mutex_);
      workers_.resize(1);
      run.clocks.resize(1);
      begin_sample(run);
    }
    run_.store(&run);
    run.threads.run_here([&] {
      {
        const std::lock_guard lock(mutex_);
        start_missing(run);
      }
      work(run, 0);
    });
    {
      const std::lock_guard lock(mutex_);
      run.ended = true;
    }
    run.needed.notify_all();
  }
  // The first error of any worker, this thread's included.
  try {
    run.threads.join();
  } catch (...) {
    run_.store(nullptr);
    throw;
  }
  run_.store(nullptr);
  cancel_.throw_if_requested();
  base::trace_counter("checkout: the last worker after the mean, %", static_cast<std::int64_t>(imbalance() * 100));
}

void WorkerCrew::work(Run& run, std::size_t number) {
  clockid_t clock{};
  ::pthread_getcpuclockid(::pthread_self(), &clock);
  Lock lock(mutex_);
  const double cpu_start = seconds_of(clock);
  run.clocks[number] = {clock, cpu_start, true};
  count_running(run, 1);
  // From then on nobody asks for the clock of this thread, which will be gone.
  const auto leave = [&] {
    const double used = seconds_of(clock) - cpu_start;
    run.cpu_of_gone += used;
    run.clocks[number].alive = false;
    workers_[number].cpu_seconds = used;
    count_running(run, -1);
  };
  try {
    while (wait_until_needed(run, number, lock)) {
      const std::size_t job = run.next_job++;
      lock.unlock();
      const Clock::time_point began = Clock::now();
      run.job(job);
      const Clock::time_point done = Clock::now();
      lock.lock();
      Worker& worker = workers_[number];
      ++worker.jobs;
      worker.busy_seconds += seconds_between(began, done);
      worker.ended_seconds = seconds_between(run.start, done);
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    run.ended = true;
    run.needed.notify_all();
    leave();
    throw;
  }
  leave();
}

bool WorkerCrew::wait_until_needed(Run& run, std::size_t number, Lock& lock) {
  const auto surplus = [&] { return number >= control_.workers() && number > 0; };
  if (surplus() && !run.ended && run.next_job < run.job_count) {
    count_running(run, -1);
    run.needed.wait(lock, [&] { return run.ended || !surplus(); });
    workers_[number].parked = run.ended;
    count_running(run, 1);
  }
  if (run.ended) return false;
  if (run.next_job < run.job_count) return true;
  run.ended = true;
  run.needed.notify_all();
  return false;
}

// The caller holds the mutex.
void WorkerCrew::start_missing(Run& run) {
  const std::size_t left = run.job_count - run.next_job;
  const std::size_t useful = std::min({std::size_t{control_.workers()}, run.job_count, workers_.size() + left});
  while (!run.ended && workers_.size() < useful) {
    const std::size_t number = workers_.size();
    workers_.emplace_back();
    run.clocks.emplace_back();
    try {
      run.threads.start(fmt::format("checkout {}", number), [this, &run, number] { work(run, number); });
    } catch (const std::system_error&) {  // too many threads for this system: those that are there must do
      workers_.pop_back();
      run.clocks.pop_back();
      control_.limit(static_cast<unsigned>(number));
      break;
    }
  }
  base::trace_counter("checkout workers", control_.workers());
}

void WorkerCrew::count_running(Run& run, int change) {
  run.running += static_cast<std::size_t>(change);
  if (run.running == control_.workers()) begin_sample(run);
}

// From here on, so many run as the control wants.
void WorkerCrew::begin_sample(Run& run) {
  run.sample_start = Clock::now();
  run.sample_files = run.files.load();
  run.sample_bytes = run.bytes.load();
  run.sample_cpu = cpu_seconds_of_all(run);
  run.look_at.store(control_.adapts() ? run.sample_files + control_.workers() : UINT64_MAX);
}

double WorkerCrew::cpu_seconds_of_all(const Run& run) const {
  double sum = run.cpu_of_gone;
  for (const Run::CpuClock& clock : run.clocks) {
    if (clock.alive) sum += seconds_of(clock.clock) - clock.at_start;
  }
  return sum;
}

void WorkerCrew::progress(std::uint64_t files, std::uint64_t bytes) {
  Run* const run = run_.load();
  if (run == nullptr) return;
  run->bytes.fetch_add(bytes, std::memory_order_relaxed);
  const std::uint64_t done = run->files.fetch_add(files, std::memory_order_relaxed) + files;
  if (done >= run->look_at.load(std::memory_order_relaxed)) look(*run);
}

void WorkerCrew::look(Run& run) {
  const Lock lock(mutex_, std::try_to_lock);  // somebody else may look already
  if (!lock.owns_lock() || run.ended) return;
  const std::uint64_t files = run.files.load() - run.sample_files;
  const double seconds = seconds_between(run.sample_start, Clock::now());
  if (run.running != control_.workers() || !control_.enough(seconds, files)) {
    run.look_at.store(run.files.load() + control_.workers());
    return;
  }
  const unsigned before = control_.workers();
  const WorkerSample sample{seconds, files, run.bytes.load() - run.sample_bytes,
                            seconds * static_cast<double>(run.running), cpu_seconds_of_all(run) - run.sample_cpu};
  const unsigned now = control_.next(sample);
  if (now > before) {
    run.needed.notify_all();
    start_missing(run);
  } else if (now < before) {
    base::trace_counter("checkout workers", now);
  }
  begin_sample(run);
}

double WorkerCrew::imbalance() const {
  double sum = 0;
  double last = 0;
  std::size_t count = 0;
  for (const Worker& worker : workers_) {
    if (worker.parked || worker.jobs == 0) continue;
    sum += worker.ended_seconds;
    last = std::max(last, worker.ended_seconds);
    ++count;
  }
  return sum > 0 ? last / (sum / static_cast<double>(count)) - 1 : 0;
}

std::string WorkerCrew::describe() const {
  return fmt::format("{}; the last one ended {:.0f} % after the mean", control_.reason(), imbalance() * 100);
}

}  // namespace pfetch::checkout
