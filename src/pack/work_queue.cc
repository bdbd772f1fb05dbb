#include "pack/work_queue.h"

#include <utility>

#include "base/error.h"

namespace pfetch::pack {

void WorkQueue::push(Batch batch, std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  const auto fits = [&](std::uint64_t used, std::uint64_t budget) { return used == 0 || used + bytes <= budget; };
  scanner_.wait(lock, [&] {
    return aborted_ || (fits(waiting_bytes_, budgets_.waiting_bytes) && fits(in_hand_bytes_, budgets_.in_hand_bytes));
  });
  if (aborted_) throw Error(ErrorCode::cancelled, "interrupted");
  batches_.emplace_back(std::move(batch), bytes);
  waiting_bytes_ += bytes;
  in_hand_bytes_ += bytes;
  workers_.notify_one();
}

void WorkQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  workers_.notify_all();
}

bool WorkQueue::pop(Item& item, bool had_item) {
  item.batch.clear();
  item.delta = no_entry;
  std::unique_lock lock(mutex_);
  if (had_item && --busy_ == 0 && closed_) workers_.notify_all();
  if (const std::uint64_t done = std::exchange(item.bytes, 0); done != 0) {
    in_hand_bytes_ -= done;
    scanner_.notify_one();
  }
  workers_.wait(lock, [&] { return aborted_ || !ready_.empty() || !batches_.empty() || (closed_ && busy_ == 0); });
  if (aborted_) throw Error(ErrorCode::cancelled, "interrupted");
  if (!ready_.empty()) {
    item.delta = ready_.back();
    ready_.pop_back();
  } else if (!batches_.empty()) {
    item.batch = std::move(batches_.front().first);
    item.bytes = batches_.front().second;
    waiting_bytes_ -= item.bytes;
    batches_.pop_front();
    scanner_.notify_one();
  } else {
    return false;
  }
  ++busy_;
  return true;
}

void WorkQueue::push_ready(const std::vector<EntryNumber>& deltas) {
  const std::lock_guard lock(mutex_);
  ready_.insert(ready_.end(), deltas.begin(), deltas.end());
  workers_.notify_all();
}

void WorkQueue::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  workers_.notify_all();
  scanner_.notify_all();
}

}  // namespace pfetch::pack
