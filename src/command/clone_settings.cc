#include "command/clone_settings.h"

#include <fcntl.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/fd.h"
#include "command/clone_directory.h"
#include "object/ref_name.h"
#include "repo/discovery.h"
#include "repo/init.h"
#include "repo/paths.h"
#include "session/fresh_repository.h"
#include "session/upstream.h"
#include "transport/url.h"

namespace pfetch::command {

namespace {

void require_usable(const CloneRequest& request) {
  if (request.depth < 0) throw Error(ErrorCode::refused, "depth must be a positive number");
  if (request.revision && (request.branch || request.mirror)) {
    throw Error(ErrorCode::refused, std::string("options '--revision' and '--") +
                                        (request.branch ? "branch" : "mirror") + "' cannot be used together");
  }
  if (request.bare && request.separate_git_dir) {
    throw Error(ErrorCode::refused, "options '--bare' and '--separate-git-dir' cannot be used together");
  }
  if (!object::is_valid_ref_name("refs/remotes/" + request.origin + "/test")) {
    throw Error(ErrorCode::refused, "'" + request.origin + "' is not a valid remote name");
  }
}

bool starts_with_gitdir(const std::string& path) {
  const base::UniqueFd file = base::open_if_there(path, O_RDONLY);
  std::array<std::byte, 8> start{};
  return file && base::read_some(file.get(), start, path) == start.size() && base::as_text(start) == "gitdir: ";
}

void require_source(const std::string& source) {
  if (source.empty()) throw Error(ErrorCode::not_found, "repository '' does not exist");
  const transport::Url url = transport::parse_url(source, base::path_exists);
  if (url.scheme != transport::Scheme::path) return;
  for (const char* suffix : {"/.git", "", ".git/.git", ".git"}) {
    const std::string path = source + suffix;
    if (base::is_directory(path) ? repo::is_git_directory(path, {}) : starts_with_gitdir(path)) return;
  }
  if (base::path_exists(source) && !base::is_directory(source)) {
    throw Error(ErrorCode::unsupported, "'" + source + "' is a file: cloning from a bundle is not supported yet");
  }
  throw Error(ErrorCode::not_found, "repository '" + source + "' does not exist");
}

// The environment as it will be with what --config puts into the repository's file, which is weaker than what was said
// in front of the command.
repo::Environment environment_with(const std::vector<std::string>& settings, repo::Environment environment) {
  std::vector<repo::ConfigOverride> said_in_front = std::exchange(environment.overrides, {});
  for (const std::string& setting : settings) environment.add_override(setting);
  environment.overrides.insert(environment.overrides.end(), said_in_front.begin(), said_in_front.end());
  return environment;
}

std::string directory_of(const CloneRequest& request) {
  std::string directory = request.directory ? *request.directory : directory_from_url(request.url, request.bare);
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return directory;
}

}  // namespace

CloneSettings read_clone_settings(const CloneRequest& asked, const repo::Environment& environment,
                                  session::Reporter& reporter) {
  CloneSettings settings;
  settings.request = asked;
  settings.environment = environment;
  const repo::Environment configured = environment_with(asked.config, environment);
  settings.config = repo::Config::load(configured);

  CloneRequest& request = settings.request;
  if (request.origin.empty()) request.origin = settings.config.get("clone.defaultremotename", "origin");
  if (!request.reject_shallow) request.reject_shallow = settings.config.get_bool("clone.rejectshallow", false);
  require_usable(request);
  settings.ref_rules.default_branch = repo::default_branch(repo::Config::load(environment));
  settings.ref_rules.refspecs = session::fetch_refspecs(settings.config, request.origin);
  require_source(request.url);
  settings.directory = directory_of(request);
  session::require_absent_or_empty(settings.directory);
  if (environment.work_tree && !request.bare && base::path_exists(*environment.work_tree)) {
    throw Error(ErrorCode::exists, "working tree '" + *environment.work_tree + "' already exists.");
  }
  if (request.separate_git_dir) session::require_absent_or_empty(*request.separate_git_dir);

  settings.source_url = base::path_exists(request.url) ? repo::absolute_path(request.url) : request.url;
  session::RemoteRequest remote;
  remote.url = settings.source_url;
  if (request.upload_pack) remote.service = *request.upload_pack;
  remote.server_options = request.server_options;
  remote.ip_version = request.ip_version;
  remote.remote = request.origin;
  settings.remote = session::remote_settings(remote, settings.config, configured, reporter);
  const bool is_path = settings.remote.url.scheme == transport::Scheme::path;
  if (request.local == true && !is_path) reporter.warn("--local is ignored");
  if (request.local != false && is_path && request.has_depth()) {
    reporter.say("note: depth is honoured for a local path (git clone would ignore it)");
  }
  return settings;
}

}  // namespace pfetch::command
