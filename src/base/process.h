// Child processes: the other side (upload-pack, ssh), hooks, `git credential`.
//
// A child inherits only what is named here. Signals blocked in pfetch are unblocked in the child.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"

namespace pfetch::base {

struct ProcessOptions {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH; must not be empty
  bool use_shell = false;         // run `sh -c "argv[0] \"$@\""` with the other arguments, as Git does
  // A process group of its own, which `kill` reaches whole: a shell's children too. Not for a child that asks questions
  // on the terminal.
  bool own_group = false;
  std::string directory;                                                        // chdir there; empty: stay
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // set, or unset with nullopt
  enum class Stream { inherit, pipe, null, to_stderr };
  Stream in = Stream::null;
  Stream out = Stream::inherit;
  Stream err = Stream::inherit;
};

class Process {
 public:
  Process() = default;
  // Throws ErrorCode::not_found when the program is not there, ErrorCode::io otherwise.
  static Process start(const ProcessOptions& options);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  // A child still running is sent SIGTERM and waited for.
  ~Process();

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  UniqueFd in;   // write end of the child's stdin, if a pipe was asked for
  UniqueFd out;  // read end of its stdout
  UniqueFd err;  // read end of its stderr

  // Waits; returns the exit status, or 128 + signal number.
  int wait();
  void kill(int signal) noexcept;

 private:
  pid_t pid_ = -1;
  bool own_group_ = false;
};

// A variable of our own environment; nullopt when it is not set.
std::optional<std::string> environment_variable(const std::string& name);

// `text` as one word for a POSIX shell, in single quotes ('\'' and '\!' escaped as Git does).
std::string shell_quote(std::string_view text);

}  // namespace pfetch::base
