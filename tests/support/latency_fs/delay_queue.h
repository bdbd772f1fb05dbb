// Does work after a delay, without a thread asleep for each piece: what is due waits in one heap, one thread of the
// pool waits for the next moment, the others for work. So any number of delays pass at the same time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace latency_fs {

class DelayQueue {
 public:
  explicit DelayQueue(unsigned threads);
  // Does what is left, at once.
  ~DelayQueue();
  DelayQueue(const DelayQueue&) = delete;
  DelayQueue& operator=(const DelayQueue&) = delete;

  // Any thread. `work` must not throw.
  void after(std::chrono::microseconds delay, std::function<void()> work);

 private:
  using Clock = std::chrono::steady_clock;
  struct Item {
    Clock::time_point due;
    std::uint64_t order;
    std::function<void()> work;
    bool operator<(const Item& other) const {  // the heap has the largest on top: the earliest must be that
      return due != other.due ? due > other.due : order > other.order;
    }
  };
  void run();

  std::mutex mutex_;                // guards all below but the threads
  std::condition_variable moment_;  // of the one thread that waits for the earliest item
  std::condition_variable idle_;    // of the others
  std::priority_queue<Item> items_;
  std::uint64_t pushed_ = 0;
  bool watched_ = false;  // a thread waits on moment_
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace latency_fs
