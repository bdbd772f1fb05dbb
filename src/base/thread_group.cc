#include "base/thread_group.h"

#include <pthread.h>

#include "base/error.h"
#include "base/trace.h"

namespace pfetch::base {

ThreadGroup::~ThreadGroup() {
  bool running = false;
  for (const std::thread& thread : threads_) running = running || thread.joinable();
  if (running) cancel_.request();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void ThreadGroup::start(std::string name, std::function<void()> work) {
  threads_.emplace_back([this, name = std::move(name), work = std::move(work)] {
    ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
    name_trace_lane(name);
    run_here(work);
  });
}

void ThreadGroup::run_here(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    keep(std::current_exception(), error.code() == ErrorCode::cancelled);
  } catch (const std::bad_alloc&) {
    keep(std::make_exception_ptr(Error(ErrorCode::io, "out of memory")), false);
  } catch (...) {
    keep(std::current_exception(), false);
  }
}

void ThreadGroup::join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  threads_.clear();
  if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
}

void ThreadGroup::keep(std::exception_ptr error, bool only_cancelled) {
  {
    const std::lock_guard lock(mutex_);
    if (!first_error_ || (first_is_cancelled_ && !only_cancelled)) {
      first_error_ = std::move(error);
      first_is_cancelled_ = only_cancelled;
    }
  }
  cancel_.request();
}

}  // namespace pfetch::base
