// An opened repository: where its parts are, what its format and configuration say.
//
// Opening reads HEAD, config and a few small files, and writes nothing; a format that pfetch cannot work with is
// refused by name. All paths are absolute. After opening, const members may be called from any thread; `reload_config`
// needs the Repository alone. Moving keeps views into the Config valid.
//
// Errors: ErrorCode::not_found (no repository there), refused (safe.directory), unsupported (its format), config, io.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "repo/alternates.h"
#include "repo/config.h"
#include "repo/environment.h"
#include "repo/format.h"
#include "repo/shared_mode.h"

namespace pfetch::repo {

class Repository {
 public:
  // What a command in `start` works on: GIT_DIR if set, otherwise the repository around the directory.
  // An empty `start` is the current directory.
  static Repository discover(const Environment& environment, const std::string& start = {});
  // Exactly this one, trusted: a git directory, or a "gitdir:" file. The work tree is `work_tree` if given, otherwise
  // core.worktree, the directory around ".git", or none. What the environment says of another repository's places
  // (GIT_DIR, GIT_WORK_TREE) does not count; GIT_OBJECT_DIRECTORY, GIT_INDEX_FILE and GIT_SHALLOW_FILE do.
  static Repository open(const std::string& git_dir, const Environment& environment,
                         const std::optional<std::string>& work_tree = std::nullopt);

  const std::string& git_dir() const { return git_dir_; }        // HEAD, index, per-worktree refs
  const std::string& common_dir() const { return common_dir_; }  // config, objects, shared refs, shallow
  const std::optional<std::string>& work_tree() const { return work_tree_; }
  const std::string& objects_dir() const { return objects_dir_; }
  const std::string& index_path() const { return index_path_; }
  // Empty when GIT_SHALLOW_FILE is set to nothing: the repository counts as complete then.
  const std::string& shallow_path() const { return shallow_path_; }
  bool is_bare() const { return bare_; }
  bool is_linked_worktree() const { return git_dir_ != common_dir_; }

  const Config& config() const { return *config_; }
  const RepositoryFormat& format() const { return format_; }
  const Environment& environment() const { return environment_; }
  const SharedMode& shared_mode() const { return shared_mode_; }
  // Where objects are borrowed from; read anew at each call.
  Alternates alternates() const { return alternate_object_directories(objects_dir_, environment_); }

  // Reads the configuration once more, after it was changed. Views into the old one end.
  void reload_config();

 private:
  Repository() = default;
  void set_places(const std::string& git_dir, const Environment& environment);

  std::string git_dir_;
  std::string common_dir_;
  std::optional<std::string> work_tree_;
  std::string objects_dir_;
  std::string index_path_;
  std::string shallow_path_;
  bool bare_ = false;
  RepositoryFormat format_;
  SharedMode shared_mode_;
  Environment environment_;
  std::unique_ptr<const Config> config_;
};

}  // namespace pfetch::repo
