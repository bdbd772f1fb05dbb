// The repository that a clone makes, before any object is in it.
#pragma once

#include <memory>

#include "command/clone_refs.h"
#include "command/clone_settings.h"
#include "session/fresh_repository.h"

namespace pfetch::command {

// Directories, templates and the configuration that every new repository has; trouble with templates is reported.
std::unique_ptr<session::FreshRepository> create_repository(const CloneSettings& settings, session::Reporter& reporter);

// What --config says, the remote, and the branch that HEAD will be on.
void configure_repository(const CloneSettings& settings, const CloneRefs& refs, repo::Repository& repository);

}  // namespace pfetch::command
