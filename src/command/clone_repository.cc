#include "command/clone_repository.h"

#include "repo/config_file.h"
#include "repo/config_syntax.h"
#include "repo/paths.h"
#include "transport/http_url.h"

namespace pfetch::command {

std::unique_ptr<session::FreshRepository> create_repository(const CloneSettings& settings,
                                                            session::Reporter& reporter) {
  const CloneRequest& request = settings.request;
  repo::InitOptions init;
  init.directory = settings.directory;
  init.bare = request.bare;
  init.template_dir = request.template_directory;
  if (settings.environment.work_tree && !request.bare) {
    // Then the directory is the repository itself, without ".git" below it.
    init.work_tree = repo::absolute_path(*settings.environment.work_tree);
    init.directory_is_git_dir = true;
  }
  if (request.separate_git_dir) init.separate_git_dir = repo::absolute_path(*request.separate_git_dir);
  repo::Environment environment = settings.environment;
  if (environment.index_file && !request.bare) {  // counts from the top of the work tree
    const std::string top = repo::absolute_path(init.work_tree.value_or(init.directory));
    environment.index_file = repo::path_below(top, *environment.index_file);
  }
  auto fresh = std::make_unique<session::FreshRepository>(init, environment);
  for (const std::string& warning : fresh->warnings()) reporter.warn(warning);
  return fresh;
}

void configure_repository(const CloneSettings& settings, const CloneRefs& refs, repo::Repository& repository) {
  const CloneRequest& request = settings.request;
  repo::ConfigFileEdit edit(repository.common_dir() + "/config");
  for (const std::string& setting : request.config) {
    const auto equals = setting.find('=');
    edit.add(repo::canonical_config_key(setting.substr(0, equals)),
             equals == std::string::npos ? "true" : setting.substr(equals + 1));
  }
  const std::string remote = "remote." + request.origin;
  edit.set(remote + ".url", transport::without_secrets(settings.source_url));
  if (!request.tags) edit.set(remote + ".tagOpt", "--no-tags");
  for (const std::string& refspec : refs.refspecs) edit.add(remote + ".fetch", refspec);
  if (request.mirror) edit.set(remote + ".mirror", "true");
  if (!request.bare && !refs.head_branch.empty() && !refs.head_remote_branch.empty()) {
    const std::string branch = "branch." + refs.short_head_branch();
    edit.set(branch + ".remote", request.origin);
    edit.set(branch + ".merge", refs.head_remote_branch);
    const std::string rebase = settings.config.get("branch.autosetuprebase", "never");
    if (rebase == "always" || rebase == "remote") edit.set(branch + ".rebase", "true");
  }
  edit.commit();
  repository.reload_config();
}

}  // namespace pfetch::command
