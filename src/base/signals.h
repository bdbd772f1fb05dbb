// Signals as a request to stop: SIGINT, SIGTERM and SIGHUP are taken by one thread, which asks a Cancellation; nothing
// runs in a signal handler. A second signal ends the process at once.
#pragma once

#include <atomic>
#include <thread>

#include "base/cancel.h"

namespace pfetch::base {

// Blocks the signals in the calling thread (and so in all that it starts later). Called first thing in main.
class SignalWatch {
 public:
  explicit SignalWatch(Cancellation& cancel);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void watch();

  Cancellation& cancel_;
  UniqueFd stop_;
  UniqueFd signals_;
  std::thread thread_;
};

// Ends the process by `signal`, with the default action, so that a shell sees how it ended.
[[noreturn]] void die_by_signal(int signal);

}  // namespace pfetch::base
