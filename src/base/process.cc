#include "base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>

#include "base/error.h"

extern char** environ;

namespace pfetch::base {

namespace {

std::pair<UniqueFd, UniqueFd> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno(errno, "could not create", "pipe");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<std::string> merged_environment(const ProcessOptions& options) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) merged[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : options.environment) {
    if (value) {
      merged[name] = *value;
    } else {
      merged.erase(name);
    }
  }
  std::vector<std::string> environment;
  for (const auto& [name, value] : merged) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<std::string> command_line(const ProcessOptions& options) {
  if (!options.use_shell) return options.argv;
  std::vector<std::string> words = {"/bin/sh", "-c"};
  words.push_back(options.argv.size() > 1 ? options.argv[0] + " \"$@\"" : options.argv[0]);
  words.insert(words.end(), options.argv.begin(), options.argv.end());
  return words;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Runs in the child between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const char* directory, char* const* argv, char* const* environment, const int streams[3],
                         int report) {
  for (int target = 0; target < 3; ++target) {
    if (streams[target] >= 0 && streams[target] != target) ::dup2(streams[target], target);
    if (streams[target] == target) ::fcntl(target, F_SETFD, 0);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (*directory == '\0' || ::chdir(directory) == 0) ::execvpe(argv[0], argv, environment);
  const int error_number = errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &error_number, sizeof error_number);
  ::_exit(127);
}

}  // namespace

Process Process::start(const ProcessOptions& options) {
  Process child;
  UniqueFd ends[3];
  int streams[3] = {-1, -1, -1};
  UniqueFd null;
  const ProcessOptions::Stream wanted[3] = {options.in, options.out, options.err};
  for (int i = 0; i < 3; ++i) {
    if (wanted[i] == ProcessOptions::Stream::pipe) {
      auto [read_end, write_end] = make_pipe();
      (i == 0 ? child.in : i == 1 ? child.out : child.err) = std::move(i == 0 ? write_end : read_end);
      ends[i] = std::move(i == 0 ? read_end : write_end);
      streams[i] = ends[i].get();
    } else if (wanted[i] == ProcessOptions::Stream::null) {
      if (!null) null = open_file("/dev/null", O_RDWR);
      streams[i] = null.get();
    } else if (wanted[i] == ProcessOptions::Stream::to_stderr) {
      streams[i] = 2;
    }
  }
  auto words = command_line(options);
  auto environment = merged_environment(options);
  const auto argv = pointers(words);
  const auto envp = pointers(environment);
  auto [report_in, report_out] = make_pipe();

  const pid_t pid = ::fork();
  if (pid < 0) throw_errno(errno, "could not start", options.argv[0]);
  if (pid == 0 && options.own_group) ::setpgid(0, 0);
  if (pid == 0) become(options.directory.c_str(), argv.data(), envp.data(), streams, report_out.get());
  child.pid_ = pid;
  child.own_group_ = options.own_group;
  if (options.own_group) ::setpgid(pid, pid);  // whichever of the two comes first
  report_out.reset();
  int error_number = 0;
  if (read_some(report_in.get(), std::as_writable_bytes(std::span(&error_number, 1)), "pipe") == sizeof error_number) {
    child.wait();
    throw_errno(error_number, "cannot run", options.argv[0]);
  }
  return child;
}

Process::Process(Process&& other) noexcept {
  *this = std::move(other);
}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(own_group_, other.own_group_);
  std::swap(in, other.in);
  std::swap(out, other.out);
  std::swap(err, other.err);
  return *this;
}

Process::~Process() {
  if (!running()) return;
  in.reset();
  out.reset();
  err.reset();
  kill(SIGTERM);
  wait();
}

int Process::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) throw_errno(errno, "could not wait for", "child process");
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Process::kill(int signal) noexcept {
  if (running()) ::kill(own_group_ ? -pid_ : pid_, signal);
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): no thread changes the environment
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string shell_quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '!') {
      quoted += "'\\";
      quoted += c;
      quoted += '\'';
    } else {
      quoted += c;
    }
  }
  return quoted += '\'';
}

}  // namespace pfetch::base
