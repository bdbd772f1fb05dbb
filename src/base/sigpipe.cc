#include "base/sigpipe.h"

#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/error.h"

namespace pfetch::base {

SigpipeBlock::SigpipeBlock() {
  sigemptyset(&pipe_only_);
  sigaddset(&pipe_only_, SIGPIPE);
  sigset_t pending;
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &pipe_only_, &before_);
}

SigpipeBlock::~SigpipeBlock() {
  // One that our own write raised must not be delivered when the mask goes back.
  const timespec at_once{};
  if (!was_pending_) {
    while (::sigtimedwait(&pipe_only_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void write_to_reader(int fd, std::string_view text, std::string_view reader) {
  const SigpipeBlock block;
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return;
    } else if (errno != EINTR) {
      throw_errno(errno, "unable to write to", reader);
    }
  }
}

}  // namespace pfetch::base
