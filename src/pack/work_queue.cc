#include "pack/work_queue.h"

#include "base/error.h"

namespace pfetch::pack {

void WorkQueue::push(Batch batch, std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  scanner_.wait(lock, [&] { return aborted_ || bytes_ == 0 || bytes_ + bytes <= budget_; });
  if (aborted_) throw Error(ErrorCode::cancelled, "interrupted");
  batches_.emplace_back(std::move(batch), bytes);
  bytes_ += bytes;
  workers_.notify_one();
}

void WorkQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  workers_.notify_all();
}

bool WorkQueue::pop(Item& item, bool had_item) {
  std::unique_lock lock(mutex_);
  if (had_item && --busy_ == 0 && closed_) workers_.notify_all();
  workers_.wait(lock, [&] { return aborted_ || !ready_.empty() || !batches_.empty() || (closed_ && busy_ == 0); });
  if (aborted_) throw Error(ErrorCode::cancelled, "interrupted");
  item.batch.clear();
  item.delta = no_entry;
  if (!ready_.empty()) {
    item.delta = ready_.back();
    ready_.pop_back();
  } else if (!batches_.empty()) {
    item.batch = std::move(batches_.front().first);
    bytes_ -= batches_.front().second;
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
