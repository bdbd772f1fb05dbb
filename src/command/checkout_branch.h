// Creating the branch that a checkout switches to, and what it tracks (branch.autoSetupMerge, branch.autoSetupRebase).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/checkout_arguments.h"
#include "command/checkout_context.h"

namespace pfetch::command {

struct NewBranch {
  std::string name;     // short
  std::string ref;      // whole
  bool exists = false;  // it is reset to its start
  std::string start;    // as it was named; "HEAD" when nothing was
  bool create_reflog = false;
};

// Whether a branch of this name may be made, or, with `reset`, be moved. Throws ErrorCode::usage or exists.
NewBranch plan_branch(const std::string& name, bool reset, const CheckoutContext& context);

// What will be written into the configuration; empty `merge`: nothing.
struct Tracking {
  std::string remote;              // "." is this repository
  std::vector<std::string> merge;  // whole names of the other side
  bool inherited = false;
  bool by_rebasing = false;
};
// Throws ErrorCode::usage for what cannot be tracked, or when the start is the name of several refs.
Tracking plan_tracking(const NewBranch& branch, CheckoutArguments::Track wanted, const CheckoutContext& context);

void create_branch(const NewBranch& branch, const object::Oid& start, const CheckoutContext& context);

// Returns what to tell: "branch 'x' set up to track 'origin/main'.", or nothing.
std::optional<std::string> set_up_tracking(const NewBranch& branch, const Tracking& tracking,
                                           const CheckoutContext& context);

}  // namespace pfetch::command
