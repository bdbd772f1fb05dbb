// Where in a worktree a command was started, and what that means for its paths.
#pragma once

#include <string>

#include "object/pathspec.h"
#include "repo/repository.h"

namespace pfetch::session {

// The current directory below the top of the worktree, "" or ending in '/'; "" as well when it is elsewhere. Throws
// ErrorCode::usage without a worktree.
std::string work_prefix(const repo::Repository& repository);

// Makes the top of the worktree the current directory.
void enter_work_tree(const repo::Repository& repository);

object::PathspecRules pathspec_rules(const repo::Repository& repository, const std::string& prefix);

}  // namespace pfetch::session
