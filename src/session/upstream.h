// The upstream of a branch: branch.<name>.remote and .merge, and the ref that tracks it here (git-config(1)).
//
// Reads the configuration; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/refspec.h"
#include "repo/config.h"

namespace pfetch::session {

struct Upstream {
  std::string remote;              // "." is this repository
  std::vector<std::string> merge;  // names of the other side, mostly one: "refs/heads/main"

  bool is_set() const { return !remote.empty() && !merge.empty(); }
};

// `branch` is a short name.
Upstream upstream_of(const repo::Config& config, std::string_view branch);

// remote.<name>.fetch, parsed. Throws ErrorCode::usage for one that is invalid.
std::vector<object::Refspec> fetch_refspecs(const repo::Config& config, const std::string& remote);

// The ref here that stands for `name` of `remote`, by its fetch refspecs; nullopt when it is not stored.
std::optional<std::string> tracking_ref(const repo::Config& config, const std::string& remote, std::string_view name);

// The ref that tracks the upstream's first branch; nullopt: there is no upstream, or it is not stored.
std::optional<std::string> upstream_ref(const repo::Config& config, std::string_view branch);

}  // namespace pfetch::session
