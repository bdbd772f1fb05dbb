#include "base/stream_io.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/sigpipe.h"

namespace pfetch::base {

namespace {

constexpr int pipe_bytes = 1 << 20;

}  // namespace

std::size_t read_stream(int fd, std::span<std::byte> first, std::span<std::byte> second, const Cancellation& cancel,
                        std::string_view whom) {
  const iovec parts[2] = {{first.data(), first.size()}, {second.data(), second.size()}};
  for (;;) {
    cancel.throw_if_requested();
    const ssize_t got = ::readv(fd, parts, second.empty() ? 1 : 2);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) throw_errno(errno, "could not read from", whom);
    wait_readable(fd, cancel);
  }
}

std::size_t write_stream(int fd, Bytes bytes, const Cancellation& cancel, std::string_view whom) {
  const SigpipeBlock held_back;
  std::size_t total = 0;
  while (total < bytes.size()) {
    cancel.throw_if_requested();
    const ssize_t sent = ::write(fd, bytes.data() + total, bytes.size() - total);
    if (sent >= 0) {
      total += static_cast<std::size_t>(sent);
    } else if (errno == EPIPE || errno == ECONNRESET) {
      break;
    } else if (errno == EAGAIN) {
      wait_writable(fd, cancel);
    } else if (errno != EINTR) {
      throw_errno(errno, "could not write to", whom);
    }
  }
  return total;
}

void make_streams(const Process& child) {
  for (const int fd : {child.in.get(), child.out.get()}) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    ::fcntl(fd, F_SETPIPE_SZ, pipe_bytes);
  }
}

int wait_for_exit(Process& child, const Cancellation& cancel) {
  // A descriptor can be waited for together with the cancellation, waitpid cannot. Old kernels have none.
  const UniqueFd exited(static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0)));
  if (exited) wait_readable(exited.get(), cancel);
  return child.wait();
}

}  // namespace pfetch::base
