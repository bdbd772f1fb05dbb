// Threads that work on one thing: the first error stops the others and is the one that is reported.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"

namespace pfetch::base {

class ThreadGroup {
 public:
  explicit ThreadGroup(Cancellation& cancel) : cancel_(cancel) {}
  // Stops and joins whatever still runs; an error that was not fetched by `join` is dropped.
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Runs `work` on a new thread whose trace lane (and name in the process table) is `name`.
  void start(std::string name, std::function<void()> work);
  // Runs `work` on the calling thread under the same rules.
  void run_here(const std::function<void()>& work);
  // Waits for all threads; rethrows the first error that is not ErrorCode::cancelled, else the first.
  void join();

 private:
  void keep(std::exception_ptr error, bool only_cancelled);

  Cancellation& cancel_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // guards the two below
  std::exception_ptr first_error_;
  bool first_is_cancelled_ = false;
};

}  // namespace pfetch::base
