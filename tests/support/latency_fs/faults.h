// Decides which operation fails on purpose. Thread safe.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "tests/support/latency_fs/options.h"

namespace latency_fs {

class Faults {
 public:
  explicit Faults(const std::vector<Fault>& faults);

  // The error number for this operation, or 0. `path` is asked for only where a fault depends on it.
  int check(Operation operation, const std::function<std::string()>& path);

 private:
  struct Rule {
    Fault fault;
    std::uint64_t met = 0;
  };
  PerOperation<std::vector<Rule>> rules_;
  std::mutex mutex_;  // guards the counts in rules_
};

}  // namespace latency_fs
