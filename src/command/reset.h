// Moving the branch that is checked out, and throwing away all local changes: `pfetch reset --hard`.
//
// The worktree changes first, then the index, then the branch. Errors as those of command/checkout.
#pragma once

#include <string>
#include <vector>

#include "command/checkout_arguments.h"
#include "command/command_context.h"
#include "session/worktree_switch.h"

namespace pfetch::command {

struct ResetOutcome {
  int exit_code = 0;
  std::vector<std::string> lines;  // for standard output
  std::string branch;              // short; empty: HEAD is detached
  std::string head;                // the commit; empty: the branch is yet to be born
  session::SwitchOutcome worktree;
  double seconds = 0;
  std::vector<session::StageTime> stages;
};

ResetOutcome reset(const ResetArguments& arguments, const CommandContext& context);

}  // namespace pfetch::command
