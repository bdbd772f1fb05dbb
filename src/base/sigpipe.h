// Writing to a pipe whose reader may be gone.
//
// Such a write raises SIGPIPE, whose default ends the process; a library must not change that default for everybody.
#pragma once

#include <signal.h>

#include <string_view>

namespace pfetch::base {

// While one lives, SIGPIPE is held back from this thread; one that came meanwhile is taken. Belongs to one thread.
class SigpipeBlock {
 public:
  SigpipeBlock();
  ~SigpipeBlock();
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;

 private:
  sigset_t pipe_only_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// Writes `text` to a pipe that blocks, or as much of it as the reader wants: one that closes its end early is no error.
// Other trouble throws ErrorCode::io, naming `reader`.
void write_to_reader(int fd, std::string_view text, std::string_view reader);

}  // namespace pfetch::base
