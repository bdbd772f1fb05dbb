// What the environment says about repositories: Git's variables, read once.
//
// A value object, safe to share between threads once made; nothing else in the library reads these variables. Names and
// meanings are those of git(1), "ENVIRONMENT VARIABLES", and git-config, "ENVIRONMENT". An unset variable is nullopt.
// Errors: ErrorCode::config for values that cannot be used, in git's words.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pfetch::repo {

// One setting from outside of the files: a canonical key, and nullopt for one without a value (which means true).
using ConfigOverride = std::pair<std::string, std::optional<std::string>>;

struct Environment {
  std::optional<std::string> git_dir;           // GIT_DIR
  std::optional<std::string> work_tree;         // GIT_WORK_TREE
  std::optional<std::string> common_dir;        // GIT_COMMON_DIR
  std::optional<std::string> index_file;        // GIT_INDEX_FILE
  std::optional<std::string> object_directory;  // GIT_OBJECT_DIRECTORY
  std::string alternates;                       // GIT_ALTERNATE_OBJECT_DIRECTORIES as it stands; see repo/alternates
  std::optional<std::string> shallow_file;      // GIT_SHALLOW_FILE; an empty name stands for "no boundary at all"
  std::string namespace_prefix;                 // GIT_NAMESPACE "a/b" as "refs/namespaces/a/refs/namespaces/b/"
  std::optional<std::string> template_dir;      // GIT_TEMPLATE_DIR
  std::optional<std::string> default_hash;      // GIT_DEFAULT_HASH
  std::vector<std::string> ceilings;            // GIT_CEILING_DIRECTORIES: absolute ones only
  bool across_filesystems = false;              // GIT_DISCOVERY_ACROSS_FILESYSTEM

  bool literal_pathspecs = false;  // GIT_LITERAL_PATHSPECS
  bool glob_pathspecs = false;     // GIT_GLOB_PATHSPECS
  bool noglob_pathspecs = false;   // GIT_NOGLOB_PATHSPECS
  bool icase_pathspecs = false;    // GIT_ICASE_PATHSPECS
  std::string reflog_action;       // GIT_REFLOG_ACTION; empty: each command says what it does

  std::optional<std::string> config_global;  // GIT_CONFIG_GLOBAL
  std::optional<std::string> config_system;  // GIT_CONFIG_SYSTEM
  bool config_nosystem = false;              // GIT_CONFIG_NOSYSTEM
  std::string home;                          // HOME; empty when unset
  std::string xdg_config_home;               // XDG_CONFIG_HOME; empty when unset
  std::vector<ConfigOverride> overrides;     // GIT_CONFIG_COUNT, then GIT_CONFIG_PARAMETERS, then -c, in that order
  std::optional<std::string> sudo_uid;       // SUDO_UID, which root's view of ownership depends on

  // The process's environment, and one made up for tests.
  static Environment read();
  static Environment from(const std::map<std::string, std::string>& variables);
  using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
  static Environment from(const Lookup& lookup);

  // A setting as `-c key=value` or `-c key` has it.
  void add_override(std::string_view setting);

  // GIT_CONFIG_PARAMETERS for a child that shall see all of `overrides`; empty when there is none. The child must not
  // see GIT_CONFIG_COUNT then, whose settings are in here too.
  std::string quoted_overrides() const;

  // The variables that speak of one repository, and that a process for another one (upload-pack of a local clone,
  // commands in submodules) must not see.
  static const std::vector<std::string>& repository_variables();
};

}  // namespace pfetch::repo
