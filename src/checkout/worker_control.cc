#include "checkout/worker_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pfetch::checkout {

namespace {

// A local disk writes a small file in 20 to 50 µs, and a thread costs about as much as some files: 250 files take a
// fifth less time with two workers than with one.
constexpr std::uint64_t local_files_per_worker = 100;
constexpr std::uint64_t local_bytes_per_worker = std::uint64_t{4} << 20;
// Where each file waits for somebody, a thread pays from its second file on.
constexpr std::uint64_t remote_files_per_worker = 2;
constexpr unsigned remote_start = 32;

constexpr std::uint64_t local_files_per_job = 32;
constexpr std::uint64_t remote_files_per_job = 8;
constexpr std::uint64_t jobs_per_worker = 4;

constexpr double mostly_asleep = 0.5;
constexpr double processors_full = 0.85;
constexpr double gain_double = 1.15;  // what twice the workers must bring to be kept
constexpr double gain_small = 1.06;
constexpr double near_proportional = 1.6;  // when twice the workers brought so much, there is nothing to find below
constexpr double strange_factor = 1.7;     // a pace so much higher or lower is another kind of work
constexpr unsigned strange_samples = 3;
constexpr unsigned patience_first = 16;
constexpr unsigned patience_most = 256;
constexpr double sample_seconds_min = 0.010;
constexpr double sample_seconds_most = 1.0;
constexpr std::uint64_t sample_files_per_worker = 3;
constexpr double bytes_like_a_file = 64.0 * 1024;  // so many bytes are as much work as one more file
constexpr double memory = 0.3;                     // of the newest sample in the rate at home

constexpr std::array<unsigned, 12> ladder{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

std::string plural(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

WorkerControl::WorkerControl(WorkerCircumstances circumstances)
    : circumstances_(std::move(circumstances)), patience_(patience_first) {
  choose_start();
  home_ = workers_;
}

void WorkerControl::choose_start() {
  const auto& [processors, file_system, files, bytes, asked_for, parallel_from, asked_by] = circumstances_;
  const auto clamp = [](std::uint64_t number, std::uint64_t most) {
    return static_cast<unsigned>(std::clamp<std::uint64_t>(number, 1, std::max<std::uint64_t>(1, most)));
  };
  const auto fix = [&](unsigned number, std::string why) {
    floor_ = most_ = workers_ = number;
    why_ = std::move(why);
  };
  if (parallel_from && files < *parallel_from) {
    return fix(1, fmt::format("{}, checkout.thresholdForParallelism is {}", plural(files, "file"), *parallel_from));
  }
  if (asked_for) return fix(clamp(*asked_for, workers_set_max), asked_by);

  why_ = describe(file_system);
  most_ = clamp(files, workers_max);
  if (spreads_jobs()) {
    workers_ = clamp(files / remote_files_per_worker, std::min(most_, std::max(remote_start, processors)));
    floor_ = 1;
    return;
  }
  const std::uint64_t useful = std::max(files / local_files_per_worker, bytes / local_bytes_per_worker);
  workers_ = clamp(useful, std::min(processors, most_));
  floor_ = workers_;
  why_ = useful < processors ? fmt::format("{} on a {}", plural(files, "file"), why_)
                             : fmt::format("{}, {}", plural(processors, "processor"), why_);
}

bool WorkerControl::spreads_jobs() const {
  return waits_for_others(circumstances_.file_system.kind);
}

std::size_t WorkerControl::files_per_job() const {
  if (!spreads_jobs()) return local_files_per_job;
  return std::clamp<std::uint64_t>(circumstances_.files / (jobs_per_worker * most_), 1, remote_files_per_job);
}

bool WorkerControl::enough(double seconds, std::uint64_t files) const {
  if (seconds >= sample_seconds_most) return files > 0;
  return seconds >= sample_seconds_min && files >= sample_files_per_worker * workers_;
}

unsigned WorkerControl::after(Step step) const {
  unsigned number = home_;
  switch (step) {
    case double_up:
      number = home_ * 2;
      break;
    case halve:
      number = home_ / 2;
      break;
    case small_up: {
      const auto* found = std::upper_bound(ladder.begin(), ladder.end(), home_);
      if (found != ladder.end()) number = *found;
      break;
    }
    case small_down: {
      const auto* found = std::lower_bound(ladder.begin(), ladder.end(), home_);
      if (found != ladder.begin()) number = *(found - 1);
      break;
    }
    case step_count:
      break;
  }
  return std::clamp(number, floor_, most_);
}

unsigned WorkerControl::next(const WorkerSample& sample) {
  if (sample.seconds <= 0 || sample.worker_seconds <= 0) return workers_;
  measured_ = true;
  asleep_ = std::clamp(1.0 - sample.cpu_seconds / sample.worker_seconds, 0.0, 1.0);
  processors_full_ = sample.cpu_seconds >= processors_full * circumstances_.processors * sample.seconds;
  if (!adapts()) return workers_;

  const double work = static_cast<double>(sample.files) + static_cast<double>(sample.bytes) / bytes_like_a_file;
  const double rate = work / sample.seconds;
  if (workers_ != home_) {
    judge(rate);
  } else {
    watch(rate);
  }
  if (rest_ > 0 && --rest_ > 0) return workers_;
  if (const std::optional<Step> step = next_step()) {
    trial_ = *step;
    workers_ = after(*step);
  } else {
    rest_ = patience_;
    patience_ = std::min(patience_ * 2, patience_most);
    search_again(false);
  }
  return workers_;
}

// A trial has been measured: is it the new home?
void WorkerControl::judge(double rate) {
  const double gain = home_rate_ > 0 ? rate / home_rate_ : 1;
  const double needed = trial_ == double_up ? gain_double : trial_ == small_up ? gain_small : 1.0;
  if (gain < needed) {
    useless_[trial_] = true;
    // Twice as many that do much worse leave no hope for half as many more.
    if (trial_ == double_up && gain < 1 / gain_double) useless_[small_up] = true;
    workers_ = home_;
    return;
  }
  std::fill(std::begin(useless_), std::end(useless_), false);
  if (is_up(trial_)) {
    useless_[halve] = true;
    useless_[small_down] = trial_ == small_up || gain >= near_proportional;
  } else {
    useless_[double_up] = true;
    useless_[small_up] = trial_ == small_down;
  }
  if (trial_ == small_up || trial_ == small_down) useless_[double_up] = useless_[halve] = true;
  home_ = workers_;
  home_rate_ = rate;
}

// Another sample at home.
void WorkerControl::watch(double rate) {
  const bool strange = home_rate_ > 0 && (rate > home_rate_ * strange_factor || rate * strange_factor < home_rate_);
  strange_ = strange ? strange_ + 1 : 0;
  if (strange_ >= strange_samples) {
    search_again(true);
    useless_[double_up] = rate < home_rate_;  // when throughput falls, fewer are tried first
    home_rate_ = rate;
    rest_ = 0;
    strange_ = 0;
    patience_ = patience_first;
  } else if (!strange) {
    home_rate_ = home_rate_ > 0 ? home_rate_ + memory * (rate - home_rate_) : rate;
  }
}

void WorkerControl::search_again(bool whole) {
  std::fill(std::begin(useless_), std::end(useless_), false);
  if (!whole) useless_[double_up] = useless_[halve] = true;
}

std::optional<WorkerControl::Step> WorkerControl::next_step() const {
  const bool more_could_help = asleep_ > mostly_asleep && !processors_full_;
  for (const Step step : {double_up, halve, small_up, small_down}) {
    if (useless_[step] || after(step) == home_) continue;
    if (is_up(step) && !more_could_help) continue;
    return step;
  }
  return std::nullopt;
}

void WorkerControl::limit(unsigned workers) {
  most_ = std::clamp(workers, 1U, most_);
  floor_ = std::min(floor_, most_);
  workers_ = std::min(workers_, most_);
  home_ = std::min(home_, most_);
}

std::string WorkerControl::reason() const {
  std::string text = fmt::format("{}: {}", plural(home_, "worker"), why_);
  if (measured_) text += fmt::format(", workers sleep {:.0f} % of the time", asleep_ * 100);
  return text;
}

}  // namespace pfetch::checkout
