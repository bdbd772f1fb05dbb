#include "tests/support/latency_fs/delay_queue.h"

#include <sys/prctl.h>

namespace latency_fs {

DelayQueue::DelayQueue(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

DelayQueue::~DelayQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  moment_.notify_all();
  idle_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void DelayQueue::after(std::chrono::microseconds delay, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point due = Clock::now() + delay;
  const bool earliest = items_.empty() || due < items_.top().due;
  items_.push({due, pushed_++, std::move(work)});
  if (!watched_) {
    idle_.notify_one();
  } else if (earliest) {
    moment_.notify_one();
  }
}

void DelayQueue::run() {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // the default would add 50 µs to each delay
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!items_.empty() && (stopping_ || items_.top().due <= Clock::now())) {
      std::function<void()> work = items_.top().work;
      items_.pop();
      if (!items_.empty() && !watched_) idle_.notify_one();
      lock.unlock();
      work();
      lock.lock();
    } else if (items_.empty() && stopping_) {
      return;
    } else if (items_.empty() || watched_) {
      idle_.wait(lock);
    } else {
      watched_ = true;
      const Clock::time_point due = items_.top().due;  // a copy: the items move while others add to them
      moment_.wait_until(lock, due);
      watched_ = false;
    }
  }
}

}  // namespace latency_fs
