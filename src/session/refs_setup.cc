#include "session/refs_setup.h"

#include <ctime>

#include "repo/hooks.h"
#include "repo/ident.h"
#include "session/durability.h"

namespace pfetch::session {

namespace {

repo::LogRefs log_refs(const repo::Config& config) {
  const auto value = config.get("core.logallrefupdates");
  if (!value) return repo::LogRefs::unset;
  if (*value == "always") return repo::LogRefs::always;
  return config.get_bool("core.logallrefupdates", false) ? repo::LogRefs::normal : repo::LogRefs::none;
}

}  // namespace

repo::RefsOptions refs_options(const repo::Repository& repository) {
  const repo::Config& config = repository.config();
  repo::RefsOptions options;
  options.git_dir = repository.git_dir();
  options.common_dir = repository.common_dir();
  options.bare = repository.is_bare();
  options.log_refs = log_refs(config);
  options.shared_mode = repository.shared_mode();
  options.sync = durability(config).refs;
  options.lock_wait_ms = static_cast<int>(config.get_int("core.filesreflocktimeout", options.lock_wait_ms));
  options.packed_lock_wait_ms = static_cast<int>(config.get_int("core.packedrefstimeout", options.packed_lock_wait_ms));
  options.namespace_prefix = repository.environment().namespace_prefix;
  const repo::FoundHook hook = repo::find_hook(repository, "reference-transaction");
  if (!hook.path.empty()) options.hooks_dir = hook.path.substr(0, hook.path.rfind('/'));
  options.hook_directory = repository.work_tree().value_or(repository.git_dir());
  options.hook_environment = repo::repository_environment(repository);
  return options;
}

std::string committer_line(const repo::Config& config) {
  repo::IdentSources sources = repo::IdentSources::from_environment();
  sources.role_name = config.get("committer.name");
  sources.role_email = config.get("committer.email");
  sources.user_name = config.get("user.name");
  sources.user_email = config.get("user.email");
  return repo::committer_ident(sources, std::time(nullptr)).line();
}

void update_refs(const std::shared_ptr<const repo::Refs>& refs, const repo::Config& config,
                 std::vector<repo::RefUpdate> updates) {
  repo::RefTransaction transaction(refs, {.atomic = true, .ident = committer_line(config)});
  for (repo::RefUpdate& update : updates) transaction.update(std::move(update));
  transaction.prepare();
  transaction.commit();
}

}  // namespace pfetch::session
