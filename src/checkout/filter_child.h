// Starts the commands of filter drivers where and as git starts them: by the shell, in the top directory of the
// worktree, with the repository's variables (GIT_DIR, and the configuration of the command line).
//
// A filter may ask for a password on the terminal, so where there is one, it stays in the foreground's process group.
// Without a terminal it gets a group of its own, so that the shell's children end with it.
//
// Thread safe. Errors: ErrorCode::io when no process can be started.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process.h"

namespace pfetch::checkout {

struct FilterPlace {
  std::string directory;
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // as base::ProcessOptions has it
};

// With pipes to and from it, which do not block. What it writes to stderr goes to ours.
base::Process start_filter(const std::string& command, const FilterPlace& place);

}  // namespace pfetch::checkout
