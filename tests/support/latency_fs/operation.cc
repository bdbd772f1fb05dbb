#include "tests/support/latency_fs/operation.h"

#include <cstdio>
#include <fstream>

namespace latency_fs {

void Counters::begin(Operation operation) {
  asked[operation].fetch_add(1);
  const std::uint64_t now = outstanding.fetch_add(1) + 1;
  std::uint64_t most = outstanding_max.load();
  while (most < now && !outstanding_max.compare_exchange_weak(most, now)) {
  }
}

void Counters::write(const std::string& path) const {
  const std::string unfinished = path + ".unfinished";
  std::ofstream file(unfinished);
  file << "{";
  for (std::size_t i = 0; i < operation_names.size(); ++i) {
    file << '"' << operation_names[i] << "\": " << asked[static_cast<Operation>(i)].load() << ", ";
  }
  file << "\"failed_on_purpose\": " << failed_on_purpose.load() << ", \"cut_short\": " << cut_short.load()
       << ", \"outstanding_max\": " << outstanding_max.load() << "}\n";
  file.close();
  if (file) std::rename(unfinished.c_str(), path.c_str());
}

}  // namespace latency_fs
