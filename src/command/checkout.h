// Switching branches, and taking paths out of a commit or the index: `pfetch checkout`.
//
// What is refused changes nothing. A switch changes the worktree first, then the index, then refs and HEAD, so that a
// crash in between leaves what `git status` shows as local changes. Errors are fatal ones in git's words; refusals
// whose exit code is 1 are told to the reporter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/checkout_arguments.h"
#include "command/checkout_report.h"
#include "command/command_context.h"
#include "session/worktree_switch.h"

namespace pfetch::command {

struct CheckoutOutcome {
  int exit_code = 0;
  std::vector<std::string> lines;  // for standard output
  std::string branch;              // short; empty: HEAD is detached
  std::string head;                // the commit; empty: the branch is yet to be born
  std::string created_branch;      // short
  session::SwitchOutcome worktree;
  std::uint64_t paths_updated = 0;
  std::optional<UpstreamState> upstream;
  double seconds = 0;
  std::vector<session::StageTime> stages;
};

CheckoutOutcome checkout(const CheckoutArguments& arguments, const CommandContext& context);

}  // namespace pfetch::command
