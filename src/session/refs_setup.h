// What a repository's configuration says about its refs, as settings for the refs backend.
#pragma once

#include "repo/refs.h"
#include "repo/repository.h"

namespace pfetch::session {

repo::RefsOptions refs_options(const repo::Repository& repository);

// "Name <mail> seconds zone" of whoever runs the command, for reflogs.
std::string committer_line(const repo::Config& config);

}  // namespace pfetch::session
