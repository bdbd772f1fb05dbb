#include "repo/format.h"

#include <fmt/format.h>

#include "base/error.h"
#include "repo/config.h"

namespace pfetch::repo {

namespace {

constexpr int version_max = 1;
constexpr std::string_view extensions = "extensions.";

void take_extension(const ConfigEntry& entry, const Config& config, RepositoryFormat& format) {
  const std::string name = entry.key.substr(extensions.size());
  if (name == "noop") return;
  if (name == "preciousobjects") {
    format.precious_objects = config.get_bool(entry.key, false);
  } else if (name == "worktreeconfig") {
    format.worktree_config = config.get_bool(entry.key, false);
  } else if (name == "partialclone") {
    format.partial_clone = config.get(entry.key);
  } else if (name == "noop-v1") {
    format.v1_only.push_back(name);
  } else if (name == "relativeworktrees") {
    format.relative_worktrees = config.get_bool(entry.key, false);
    format.v1_only.push_back(name);
  } else if (name == "objectformat") {
    format.object_format = config.get(entry.key, "");
    format.v1_only.push_back(name);
  } else if (name == "refstorage") {
    format.ref_storage = config.get(entry.key, "");
    format.v1_only.push_back(name);
  } else {
    format.unknown.push_back(name);
  }
}

void take_core(const Config& config, RepositoryFormat& format) {
  if (const auto bare = config.get_bool("core.bare")) format.bare = bare;
  if (const auto work_tree = config.get("core.worktree")) format.work_tree = work_tree;
}

[[noreturn]] void refuse(std::string message) {
  throw Error(ErrorCode::unsupported, std::move(message));
}

std::string listed(std::string_view one, std::string_view many, const std::vector<std::string>& names) {
  std::string text(names.size() == 1 ? one : many);
  for (const std::string& name : names) text += "\n\t" + name;
  return text;
}

}  // namespace

RepositoryFormat read_repository_format(const std::string& common_dir, const std::string& git_dir) {
  RepositoryFormat format;
  const Config config = Config::load_file(common_dir + "/config");
  const auto version = config.get_int("core.repositoryformatversion", 0);
  format.version = version < 0 ? 0 : version > 1000000 ? 1000000 : static_cast<int>(version);
  config.for_each(extensions, [&](const ConfigEntry& entry) { take_extension(entry, config, format); });
  take_core(config, format);
  if (format.worktree_config) take_core(Config::load_file(git_dir + "/config.worktree"), format);
  return format;
}

void refuse_unknown_format(const RepositoryFormat& format) {
  if (format.version > version_max) {
    refuse(fmt::format("Expected git repo version <= {}, found {}", version_max, format.version));
  }
  if (format.version >= 1 && !format.unknown.empty()) {
    refuse(listed("unknown repository extension found:", "unknown repository extensions found:", format.unknown));
  }
  if (format.version == 0 && !format.v1_only.empty()) {
    refuse(listed("repo version is 0, but v1-only extension found:", "repo version is 0, but v1-only extensions found:",
                  format.v1_only));
  }
  if (format.object_format == "sha256") {
    refuse("extensions.objectformat = sha256: pfetch works with SHA-1 repositories only; use git for this one");
  }
  if (format.object_format != "sha1") {
    refuse(fmt::format("invalid value for 'extensions.objectformat': '{}'", format.object_format));
  }
  if (format.ref_storage == "reftable") {
    refuse("extensions.refstorage = reftable: pfetch works with refs in files only; use git for this repository");
  }
  if (format.ref_storage != "files") {
    refuse(fmt::format("invalid value for 'extensions.refstorage': '{}'", format.ref_storage));
  }
}

}  // namespace pfetch::repo
