#include "repo/ref_hook.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/error.h"
#include "base/process.h"

namespace pfetch::repo {

namespace {

std::string hook_path(const RefsOptions& options) {
  return options.hooks_dir + "/reference-transaction";
}

// Keeps SIGPIPE from this thread while it lives, and swallows one that came.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    if (::sigismember(&before_, SIGPIPE) == 0) {
      const std::timespec now{};
      while (::sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

void feed(int fd, std::string_view text) {
  const NoBrokenPipe quiet;
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return;
    } else if (errno != EINTR) {
      throw_errno(errno, "unable to write to hook", "reference-transaction");
    }
  }
}

}  // namespace

bool has_reference_hook(const RefsOptions& options) {
  return !options.hooks_dir.empty() && ::access(hook_path(options).c_str(), X_OK) == 0;
}

int run_reference_hook(const RefsOptions& options, std::string_view state, std::string_view lines) {
  if (lines.empty() || !has_reference_hook(options)) return 0;
  base::ProcessOptions hook;
  hook.argv = {hook_path(options), std::string(state)};
  hook.directory = options.hook_directory;
  hook.environment = options.hook_environment;
  hook.in = base::ProcessOptions::Stream::pipe;
  hook.out = base::ProcessOptions::Stream::to_stderr;
  base::Process child = base::Process::start(hook);
  feed(child.in.get(), lines);
  child.in.reset();
  return child.wait();
}

}  // namespace pfetch::repo
