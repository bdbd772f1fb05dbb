#include "checkout/filter_child.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pfetch::checkout {

namespace {

constexpr int pipe_bytes = 1 << 20;

void prepare_pipe(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  ::fcntl(fd, F_SETPIPE_SZ, pipe_bytes);  // larger pieces for each wake-up, where the system gives so much
}

bool has_terminal() {
  return static_cast<bool>(base::UniqueFd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)));
}

}  // namespace

base::Process start_filter(const std::string& command, const FilterPlace& place) {
  base::ProcessOptions options;
  options.argv = {command};
  options.use_shell = true;
  options.own_group = !has_terminal();
  options.directory = place.directory;
  options.environment = place.environment;
  options.in = options.out = base::ProcessOptions::Stream::pipe;
  base::Process child = base::Process::start(options);
  prepare_pipe(child.in.get());
  prepare_pipe(child.out.get());
  return child;
}

int wait_for_exit(base::Process& child, const base::Cancellation& cancel) {
  // A descriptor can be waited for together with the cancellation, waitpid cannot. Old kernels have none.
  const base::UniqueFd exited(static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0)));
  if (exited) base::wait_readable(exited.get(), cancel);
  return child.wait();
}

}  // namespace pfetch::checkout
