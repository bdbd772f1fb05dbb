#include "transport/stream_io.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/sigpipe.h"

namespace pfetch::transport {

std::size_t read_scattered(int fd, std::span<std::byte> first, std::span<std::byte> second,
                           const base::Cancellation& cancel) {
  const iovec parts[2] = {{first.data(), first.size()}, {second.data(), second.size()}};
  for (;;) {
    cancel.throw_if_requested();
    const ssize_t got = ::readv(fd, parts, second.empty() ? 1 : 2);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) throw_errno(errno, "could not read from", "the other side");
    base::wait_readable(fd, cancel);
  }
}

std::size_t write_all(int fd, base::Bytes bytes, const base::Cancellation& cancel) {
  const base::SigpipeBlock held_back;
  std::size_t total = 0;
  while (total < bytes.size()) {
    cancel.throw_if_requested();
    const ssize_t sent = ::write(fd, bytes.data() + total, bytes.size() - total);
    if (sent >= 0) {
      total += static_cast<std::size_t>(sent);
    } else if (errno == EPIPE || errno == ECONNRESET) {
      break;
    } else if (errno == EAGAIN) {
      base::wait_writable(fd, cancel);
    } else if (errno != EINTR) {
      throw_errno(errno, "could not write to", "the other side");
    }
  }
  return total;
}

}  // namespace pfetch::transport
