// What the workers of the pack pipeline draw from: batches of scanned entries, bounded in bytes, and beside it the side
// list of deltas whose base has become known. Deltas come first, so that a base is used while it is at hand.
//
// The scanner pushes batches and blocks while a budget is used up: one for what waits, and a larger one for that and
// what the workers have in hand, which bounds memory when objects are huge. Workers push ready deltas, which are entry
// numbers only and never block. The work is done when the scanner has closed and no worker can produce more.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "pack/entry_table.h"

namespace pfetch::pack {

struct ScannedEntry {
  EntryNumber entry = no_entry;
  base::SharedBytes bytes;  // inflated: the object, or the delta's instructions; empty for a streamed one
  std::uint64_t size = 0;   // inflated, bytes
};
using Batch = std::vector<ScannedEntry>;

class WorkQueue {
 public:
  struct Budgets {
    std::uint64_t waiting_bytes;
    std::uint64_t in_hand_bytes;  // waiting or being worked on
  };
  explicit WorkQueue(const Budgets& budgets) : budgets_(budgets) {}

  // Scanner: blocks while a budget is used up (a single batch may be larger). Throws ErrorCode::cancelled after
  // `abort`.
  void push(Batch batch, std::uint64_t bytes);
  void close();

  struct Item {
    Batch batch;                   // either this…
    EntryNumber delta = no_entry;  // …or one ready delta
    std::uint64_t bytes = 0;       // of the batch
  };
  // Worker: blocks for the next item; false when all is done. A worker that comes back has finished its last item.
  bool pop(Item& item, bool had_item);
  void push_ready(const std::vector<EntryNumber>& deltas);

  void abort();

 private:
  const Budgets budgets_;
  std::mutex mutex_;  // guards all below
  std::condition_variable workers_;
  std::condition_variable scanner_;
  std::deque<std::pair<Batch, std::uint64_t>> batches_;
  std::vector<EntryNumber> ready_;
  std::uint64_t waiting_bytes_ = 0;
  std::uint64_t in_hand_bytes_ = 0;
  unsigned busy_ = 0;
  bool closed_ = false;
  bool aborted_ = false;
};

}  // namespace pfetch::pack
