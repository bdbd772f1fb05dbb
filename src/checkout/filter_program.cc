#include "checkout/filter_program.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/error.h"
#include "base/sigpipe.h"
#include "base/stream_io.h"
#include "base/trace.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t read_bytes = std::size_t{256} << 10;

// Writes what the pipe takes now; the pipe is closed after the last byte, or when nobody reads any more.
void feed(base::UniqueFd& pipe, std::string_view& content) {
  const base::SigpipeBlock held_back;
  const ssize_t written = ::write(pipe.get(), content.data(), content.size());
  if (written >= 0) content.remove_prefix(static_cast<std::size_t>(written));
  const bool unread = written < 0 && errno == EPIPE;
  if (written < 0 && !unread && errno != EAGAIN && errno != EINTR) throw_errno(errno, "could not write to", "filter");
  if (unread || content.empty()) pipe.reset();
}

}  // namespace

std::string filter_command(std::string_view driver_command, std::string_view path) {
  std::string command;
  for (std::size_t at = 0; at < driver_command.size(); ++at) {
    const char next = at + 1 < driver_command.size() ? driver_command[at + 1] : '\0';
    if (driver_command[at] == '%' && next == 'f') {
      command += base::shell_quote(path);
      ++at;
    } else {
      command += driver_command[at];
      if (driver_command[at] == '%' && next == '%') ++at;
    }
  }
  return command;
}

int run_filter_program(const std::string& command, const FilterPlace& place, std::string_view content,
                       const std::function<void(base::Bytes)>& put, const base::Cancellation& cancel) {
  const base::TraceSpan span("filter program");
  base::Process child = start_filter(command, place);
  if (content.empty()) child.in.reset();
  std::vector<std::byte> buffer(read_bytes);
  while (child.out) {
    pollfd polled[3] = {{cancel.fd(), POLLIN, 0}, {child.out.get(), POLLIN, 0}, {child.in.get(), POLLOUT, 0}};
    if (::poll(polled, child.in ? 3 : 2, -1) < 0) {
      if (errno == EINTR) continue;
      throw_errno(errno, "could not wait for", "filter");
    }
    cancel.throw_if_requested();
    if (child.in && polled[2].revents != 0) feed(child.in, content);
    if (polled[1].revents == 0) continue;
    const std::size_t got = base::read_some(child.out.get(), buffer, "filter");
    if (got == 0) child.out.reset();
    if (got != 0) put({buffer.data(), got});
  }
  child.in.reset();  // who has said all needs no more
  return base::wait_for_exit(child, cancel);
}

}  // namespace pfetch::checkout
