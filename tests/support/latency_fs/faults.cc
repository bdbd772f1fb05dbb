#include "tests/support/latency_fs/faults.h"

namespace latency_fs {

Faults::Faults(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) rules_[fault.operation].push_back({fault});
}

int Faults::check(Operation operation, const std::function<std::string()>& path) {
  if (rules_[operation].empty()) return 0;
  const std::lock_guard lock(mutex_);
  int error = 0;
  for (Rule& rule : rules_[operation]) {
    const Fault& fault = rule.fault;
    if (!fault.path_part.empty() && path().find(fault.path_part) == std::string::npos) continue;
    ++rule.met;
    const bool hit = fault.nth == 0 || rule.met == fault.nth || (fault.from_then_on && rule.met > fault.nth);
    if (hit && error == 0) error = fault.error_number;
  }
  return error;
}

}  // namespace latency_fs
