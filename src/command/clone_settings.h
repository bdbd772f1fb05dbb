// From what was asked for to what will be done: the request, the configuration and the environment, checked against
// each other before anything is created or anybody is asked.
#pragma once

#include <string>

#include "command/clone_refs.h"
#include "command/clone_request.h"
#include "repo/config.h"
#include "repo/environment.h"
#include "session/remote_settings.h"

namespace pfetch::command {

struct CloneSettings {
  CloneRequest request;  // with the configuration's word where nothing was said: origin, reject_shallow
  repo::Environment environment;
  repo::Config config;  // of the system and the user, and what --config says: there is no repository yet
  CloneRefRules ref_rules;
  std::string directory;
  std::string source_url;  // as it is configured and named in reflogs
  session::RemoteSettings remote;
};

// As with git, --config counts from the connection on, but not for making the repository (templates, sharing, the name
// of the first branch). Throws ErrorCode::refused for what cannot go together, ErrorCode::exists for a directory that
// is in use, ErrorCode::not_found for a path that leads nowhere.
CloneSettings read_clone_settings(const CloneRequest& request, const repo::Environment& environment,
                                  session::Reporter& reporter);

}  // namespace pfetch::command
