// Fetching from one remote, from the connection to FETCH_HEAD.
#pragma once

#include <string>

#include "command/fetch.h"
#include "command/fetch_remote.h"
#include "repo/repository.h"

namespace pfetch::command {

// Adds what happened to `outcome`.
void fetch_one(const FetchArguments& arguments, const FetchRemote& remote, const repo::Repository& repository,
               const CommandContext& context, session::StageClock& clock, FetchOutcome& outcome);

}  // namespace pfetch::command
