#include "checkout/workers.h"

#include <algorithm>
#include <thread>

#include "checkout/cpu_quota.h"

namespace pfetch::checkout {

namespace {
constexpr std::int64_t threshold_default = 100;
}

WorkerCircumstances worker_circumstances(const repo::Config& config, const std::string& work_tree, std::uint64_t files,
                                         std::uint64_t bytes) {
  WorkerCircumstances found;
  found.files = files;
  found.bytes = bytes;
  const std::optional<std::int64_t> workers = config.get_int("checkout.workers");
  std::optional<std::int64_t> threshold = config.get_int("checkout.thresholdforparallelism");
  if (workers) {
    const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    found.asked_for = static_cast<unsigned>(std::min<std::int64_t>(*workers < 1 ? cores : *workers, workers_set_max));
    if (!threshold) threshold = threshold_default;
  }
  if (threshold) found.parallel_from = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *threshold));
  found.processors = processors();
  found.file_system = file_system_at(work_tree);
  return found;
}

}  // namespace pfetch::checkout
