// How a signal, or the first failure, stops everything that waits.
//
// One Cancellation lives for one command. Whoever blocks on a descriptor polls `fd()` beside it; whoever blocks on a
// condition variable registers a waker. Signals are taken by one thread (base/signals), never by a handler that does
// work, so a clean-up can take locks and remove files. All members may be called from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>

#include "base/fd.h"

namespace pfetch::base {

class Cancellation {
 public:
  Cancellation();

  // Asks everything to stop. `signal` is the signal number, or 0 for a failure. Only the first request counts.
  void request(int signal = 0);
  bool requested() const { return requested_.load(std::memory_order_acquire); }
  int signal() const { return signal_.load(std::memory_order_acquire); }
  // Throws ErrorCode::cancelled once requested.
  void throw_if_requested() const;
  // Readable from the request on, for poll(2) and epoll(7).
  int fd() const { return event_.get(); }

  // While a Waker lives, `wake` is called once upon a request (at once if it was made already).
  class Waker {
   public:
    Waker(Cancellation& owner, std::function<void()> wake);
    ~Waker();
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;

   private:
    Cancellation& owner_;
    std::list<std::function<void()>>::iterator place_;
  };

 private:
  UniqueFd event_;
  std::atomic<bool> requested_{false};
  std::atomic<int> signal_{0};
  std::mutex mutex_;  // guards wakers_
  std::list<std::function<void()>> wakers_;
};

// Waits until `fd` is readable (or writable). Throws ErrorCode::cancelled if `cancel` is requested first.
void wait_readable(int fd, const Cancellation& cancel);
void wait_writable(int fd, const Cancellation& cancel);

}  // namespace pfetch::base
