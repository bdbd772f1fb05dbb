#include "base/cancel.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>

#include "base/error.h"

namespace pfetch::base {

Cancellation::Cancellation() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw_errno(errno, "could not create", "eventfd");
}

void Cancellation::request(int signal) {
  const std::lock_guard lock(mutex_);
  if (requested_.load()) return;
  signal_.store(signal);
  requested_.store(true, std::memory_order_release);
  ::eventfd_write(event_.get(), 1);
  for (const auto& wake : wakers_) wake();
}

void Cancellation::throw_if_requested() const {
  if (requested()) throw Error(ErrorCode::cancelled, "interrupted");
}

Cancellation::Waker::Waker(Cancellation& owner, std::function<void()> wake) : owner_(owner) {
  const std::lock_guard lock(owner_.mutex_);
  place_ = owner_.wakers_.insert(owner_.wakers_.end(), std::move(wake));
  if (owner_.requested()) (*place_)();
}

Cancellation::Waker::~Waker() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.wakers_.erase(place_);
}

namespace {

void wait_for(int fd, short events, const Cancellation& cancel) {
  for (;;) {
    pollfd polled[2] = {{fd, events, 0}, {cancel.fd(), POLLIN, 0}};
    if (::poll(polled, 2, -1) < 0) {
      if (errno == EINTR) continue;
      throw_errno(errno, "could not wait for", "the other side");
    }
    cancel.throw_if_requested();
    if (polled[0].revents != 0) return;
  }
}

}  // namespace

void wait_readable(int fd, const Cancellation& cancel) {
  wait_for(fd, POLLIN, cancel);
}
void wait_writable(int fd, const Cancellation& cancel) {
  wait_for(fd, POLLOUT, cancel);
}

}  // namespace pfetch::base
