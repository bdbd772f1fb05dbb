// Bringing a living repository up to date with another one: `pfetch fetch`.
//
// Errors as clone's: whatever throws leaves the repository as it was, but for objects that nothing refers to yet.
// Trouble with single refs is told and makes the exit code 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/command_context.h"
#include "command/fetch_arguments.h"
#include "command/fetch_updates.h"
#include "shallow/explain.h"

namespace pfetch::command {

struct FetchOutcome {
  int exit_code = 0;
  struct Remote {
    std::string name;
    std::string url;  // without secrets
    std::vector<RefDecision> refs;
    std::optional<shallow::Explanation> explanation;  // when it was asked for and there is something to explain
  };
  std::vector<Remote> remotes;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t objects = 0;
  std::vector<object::Oid> roots_added;
  std::vector<object::Oid> roots_removed;
  double seconds = 0;
  std::vector<session::StageTime> stages;
};

// Throws ErrorCode::usage for arguments that do not go together.
FetchOutcome fetch(const FetchArguments& arguments, const CommandContext& context);

}  // namespace pfetch::command
