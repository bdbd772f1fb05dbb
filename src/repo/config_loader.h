// Collecting every configuration file and setting that applies, in Git's order: system, global (XDG, then
// ~/.gitconfig), repository, worktree, command line; with `include.path` and all conditions of `includeIf`.
//
// Follows git-config, "FILES" and "INCLUDES". A file that is not there is no error; one that cannot be read is, except
// for a global one (ErrorCode::io). Bounds: 64 MB for a file, 10 levels of includes. Thread safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "repo/environment.h"

namespace pfetch::repo {

enum class ConfigLevel { system, global, local, worktree, command };

struct ConfigEntry {
  std::string key;                   // canonical, for example "remote.origin.url"
  std::optional<std::string> value;  // nullopt: the variable stands without "=", which means true
  ConfigLevel level = ConfigLevel::command;
  std::shared_ptr<const std::string> file;  // where it stands; null for the command line
  int line = 0;
};

// Which repository's files to read; empty names mean that there is none.
struct ConfigFiles {
  std::string common_dir;        // holds "config"
  std::string git_dir;           // what includeIf "gitdir:" and "onbranch:" look at, and where "config.worktree" is
  bool worktree_config = false;  // extensions.worktreeConfig
};

// All entries, in the order in which a later one overrides an earlier one.
std::vector<ConfigEntry> load_config_entries(const Environment& environment, const ConfigFiles& files);

// One file alone, its includes not followed, as a repository's format is read. An absent file has no entries.
std::vector<ConfigEntry> load_config_file(const std::string& path, ConfigLevel level);

}  // namespace pfetch::repo
