#include "command/fetch_upstream.h"

#include <fmt/format.h>

#include <algorithm>

#include "object/ref_name.h"
#include "repo/config_file.h"
#include "repo/loose_refs.h"

namespace pfetch::command {

std::string checked_out_branch(const repo::Repository& repository) {
  const repo::LooseRef head = repo::read_loose_ref(repository.git_dir() + "/HEAD");
  if (head.state != repo::LooseRef::State::symbolic || !object::is_branch_name(head.target)) return "";
  return std::string(object::short_ref_name(head.target));
}

void set_upstream(const std::vector<FetchedRef>& refs, const FetchRemote& remote, const std::string& branch,
                  const repo::Repository& repository, session::Reporter& reporter) {
  const auto is_not_stored = [](const FetchedRef& ref) { return ref.local_name.empty(); };
  const auto count = std::count_if(refs.begin(), refs.end(), is_not_stored);
  if (count == 0) {
    reporter.warn("no source branch found;\nyou need to specify exactly one branch with the --set-upstream option");
    return;
  }
  if (count > 1) {
    reporter.warn("multiple branches detected, incompatible with --set-upstream");
    return;
  }
  const FetchedRef& source = *std::find_if(refs.begin(), refs.end(), is_not_stored);
  if (source.remote_name != "HEAD" && !object::is_branch_name(source.remote_name)) {
    reporter.warn(object::is_tag_name(source.remote_name) ? "not setting upstream for a remote tag"
                  : source.remote_name.starts_with("refs/remotes/")
                      ? "not setting upstream for a remote remote-tracking branch"
                      : "unknown branch type");
    return;
  }
  if (branch.empty()) {
    reporter.warn(fmt::format("could not set upstream of HEAD to '{}' from '{}' when it does not point to any branch.",
                              object::short_ref_name(source.remote_name), remote.name));
    return;
  }
  repo::ConfigFileEdit edit(repository.common_dir() + "/config");
  edit.set("branch." + branch + ".remote", remote.name);
  edit.set("branch." + branch + ".merge", source.remote_name);
  edit.commit();
}

}  // namespace pfetch::command
