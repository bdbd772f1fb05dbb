// `pfetch clone`: a repository is brought in, and its worktree is finished when the last byte of the pack has come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/clone_request.h"
#include "command/command_context.h"

namespace pfetch::command {

struct CloneOutcome {
  std::string directory;
  std::string branch;  // short name; empty when HEAD is detached
  std::string head;    // object id; empty when there is none
  std::uint64_t files = 0;
  std::uint64_t bytes_written = 0;  // to the worktree
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t objects = 0;
  std::uint64_t deltas = 0;
  std::uint64_t inflated_once = 0;
  std::uint64_t inflated_again = 0;
  std::uint64_t blobs_written_receiving = 0;
  std::uint64_t blobs_replayed = 0;
  double seconds = 0;
  std::vector<session::StageTime> stages;
  std::vector<std::string> collided;  // paths that share a name on this file system
  int exit_code = 0;                  // that of the post-checkout hook, as git's
};

// Throws pfetch::Error; then nothing is left that was not there before, unless all that failed is a filter that is
// required (filter.<name>.required): then the clone stays, without the files that it lost.
CloneOutcome clone(const CloneRequest& request, const CommandContext& context);

}  // namespace pfetch::command
