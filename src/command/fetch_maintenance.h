// What a fetch leaves to git when it has ended: the commit-graph, and maintenance where some is due.
#pragma once

#include "command/fetch_arguments.h"
#include "repo/repository.h"
#include "session/reporter.h"

namespace pfetch::command {

// fetch.writeCommitGraph, then `git maintenance run --auto`. Failure of either is told and is no failure of the fetch.
void maintain(const FetchArguments& arguments, const repo::Repository& repository, session::Reporter& reporter);

// Whether `git maintenance run --auto` could find something to do: too many loose objects or packs (gc.auto,
// gc.autoPackLimit), or tasks of its own in the configuration. Counts files, starts nothing.
bool maintenance_may_be_due(const repo::Repository& repository);

}  // namespace pfetch::command
