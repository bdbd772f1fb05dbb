// What the configuration says of a remote (git-config, "remote.<name>.*"), and which remotes a name stands for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "object/refspec.h"
#include "repo/config.h"

namespace pfetch::command {

struct FetchRemote {
  std::string name;         // as it was named: "origin", or the URL itself
  bool configured = false;  // there is a section [remote "<name>"]
  std::string url;          // the first one; of what is not configured: the name
  std::vector<object::Refspec> refspecs;
  std::optional<std::string> upload_pack;
  std::vector<std::string> server_options;
  enum class TagOption { by_default, none, all };
  TagOption tags = TagOption::by_default;  // tagOpt
  std::optional<bool> prune;
  std::optional<bool> prune_tags;
};

// Throws ErrorCode::config or usage for values that cannot be used.
FetchRemote read_fetch_remote(const repo::Config& config, const std::string& name);

// The remote that is meant when none is named: that of `branch` ("main"; empty: HEAD is detached), the only one there
// is, or "origin".
std::string default_remote(const repo::Config& config, const std::string& branch);

// Every remote but those with skipFetchAll or skipDefaultUpdate, in the order of the configuration.
std::vector<std::string> all_remotes(const repo::Config& config);

// The members of a group (remotes.<name>); nullopt when there is none of that name.
std::optional<std::vector<std::string>> remote_group(const repo::Config& config, const std::string& name);

// What `git pull` would merge into `branch`: branch.<name>.remote and .merge.
struct BranchUpstream {
  std::string remote;
  std::vector<std::string> merge;  // names of the other side, mostly "refs/heads/main"
};
BranchUpstream branch_upstream(const repo::Config& config, const std::string& branch);

}  // namespace pfetch::command
