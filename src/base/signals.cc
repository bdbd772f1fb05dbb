#include "base/signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pfetch::base {

namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What our parent ignores (nohup, a background job) stays ignored.
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

SignalWatch::SignalWatch(Cancellation& cancel) : cancel_(cancel) {
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  stop_.reset(::eventfd(0, EFD_CLOEXEC));
  signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC));
  if (!stop_ || !signals_) throw_errno(errno, "could not create", "signalfd");
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void SignalWatch::watch() {
  ::pthread_setname_np(::pthread_self(), "signals");
  for (;;) {
    pollfd polled[2] = {{signals_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    if (::poll(polled, 2, -1) < 0) continue;
    if (polled[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) continue;
    if (cancel_.requested() && cancel_.signal() != 0) ::_exit(128 + static_cast<int>(info.ssi_signo));
    cancel_.request(static_cast<int>(info.ssi_signo));
  }
}

void die_by_signal(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace pfetch::base
