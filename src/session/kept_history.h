// Everything that keeps history alive in a repository, as git-gc sees it: refs, reflogs, and what each worktree holds
// beside them.
#pragma once

#include <vector>

#include "object/oid.h"
#include "repo/repository.h"

namespace pfetch::session {

// The ids of all refs, of both sides of every reflog entry, of the HEAD of each worktree and of its other special refs
// (ORIG_HEAD, MERGE_HEAD …); ascending, each once. Not all of them are commits, nor must all be here. Indexes name no
// commits of this repository.
std::vector<object::Oid> kept_history(const repo::Repository& repository);

}  // namespace pfetch::session
