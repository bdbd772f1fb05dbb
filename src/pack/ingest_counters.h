// What the pipeline counts while it runs, for progress (read at any time) and for the result. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace pfetch::pack {

struct IngestCounters {
  std::atomic<std::uint64_t> bytes_received{0};   // of the pack, trailer included
  std::atomic<std::uint32_t> objects_claimed{0};  // by the pack's header
  std::atomic<std::uint32_t> objects_scanned{0};
  std::atomic<std::uint32_t> objects_resolved{0};
  std::atomic<std::uint32_t> deltas{0};          // entries stored as deltas
  std::atomic<std::uint64_t> inflated_once{0};   // entries inflated as they came
  std::atomic<std::uint64_t> inflated_again{0};  // entries inflated from the file: an evicted base, a replayed blob
  std::atomic<std::uint64_t> bytes_inflated{0};  // as they came
};

}  // namespace pfetch::pack
