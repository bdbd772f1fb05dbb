// The branch that is checked out, and --set-upstream.
#pragma once

#include <string>
#include <vector>

#include "command/fetch_refs.h"
#include "repo/repository.h"
#include "session/reporter.h"

namespace pfetch::command {

// "main"; empty: HEAD is detached, or no branch.
std::string checked_out_branch(const repo::Repository& repository);

// Makes the one branch that was fetched and is stored under no name here the upstream of `branch`.
void set_upstream(const std::vector<FetchedRef>& refs, const FetchRemote& remote, const std::string& branch,
                  const repo::Repository& repository, session::Reporter& reporter);

}  // namespace pfetch::command
