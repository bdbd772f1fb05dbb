// latency_fs: a directory, seen through a file system that is slow, or fails, as the command line says (options.cc).
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/latency_fs/file_system.h"

namespace {

// Writes the counters for each SIGUSR1, which must be blocked in all threads, and once at its end.
class CounterWriter {
 public:
  CounterWriter(const latency_fs::Counters& counters, const std::string& path) : counters_(counters), path_(path) {
    if (!path_.empty()) thread_ = std::thread([this] { run(); });
  }
  ~CounterWriter() {
    if (!thread_.joinable()) return;
    ending_ = true;
    ::pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }

 private:
  void run() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGUSR1);
    for (bool last = false; !last;) {
      int number = 0;
      ::sigwait(&set, &number);
      last = ending_;
      counters_.write(path_);
    }
  }

  const latency_fs::Counters& counters_;
  const std::string path_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

// Each inode that the kernel knows holds a descriptor.
void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit high{std::max<rlim_t>(limit.rlim_max, 1 << 19), std::max<rlim_t>(limit.rlim_max, 1 << 19)};
  if (::setrlimit(RLIMIT_NOFILE, &high) == 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int serve(const latency_fs::Options& options) {
  latency_fs::FileSystem system(options);
  std::vector<std::string> words{"latency_fs", "-o", "fsname=latency_fs,subtype=latency_fs,default_permissions"};
  if (::geteuid() == 0) words.back() += ",allow_other";
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(pointers.size()), pointers.data());
  fuse_session* session = fuse_session_new(&arguments, &system.operations, sizeof system.operations, &system);
  fuse_opt_free_args(&arguments);
  if (session == nullptr) return 1;
  int status = 1;
  if (fuse_set_signal_handlers(session) == 0) {
    if (fuse_session_mount(session, options.point.c_str()) == 0) {
      const CounterWriter writer(system.counters(), options.counters);
      fuse_loop_config config{};
      config.max_idle_threads = 10;
      status = fuse_session_loop_mt(session, &config) < 0 ? 1 : 0;
      fuse_session_unmount(session);
    }
    fuse_remove_signal_handlers(session);
  }
  fuse_session_destroy(session);
  return status;
}

}  // namespace

int main(int count, char** words) {
  try {
    const latency_fs::Options options = latency_fs::parse_options({words + 1, words + count});
    if (options.tied) {
      const pid_t parent = ::getppid();
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) return 1;
    }
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    ::umask(0);  // modes come from the kernel as they are to be
    raise_descriptor_limit();
    return serve(options);
  } catch (const latency_fs::UsageError& error) {
    std::fprintf(stderr, "latency_fs: %s\n%s", error.what(), latency_fs::usage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "latency_fs: %s\n", error.what());
    return 1;
  }
}
