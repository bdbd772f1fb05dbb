// What a repository's configuration says about its refs, as settings for the refs backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "repo/ref_transaction.h"
#include "repo/refs.h"
#include "repo/repository.h"

namespace pfetch::session {

repo::RefsOptions refs_options(const repo::Repository& repository);

// "Name <mail> seconds zone" of whoever runs the command, for reflogs.
std::string committer_line(const repo::Config& config);

// All of these, or none; with the configuration's ident in the reflogs. Throws what repo/ref_transaction throws.
void update_refs(const std::shared_ptr<const repo::Refs>& refs, const repo::Config& config,
                 std::vector<repo::RefUpdate> updates);

}  // namespace pfetch::session
