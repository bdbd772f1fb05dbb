// The format of a repository: its version and extensions, and which of them pfetch can work with
// (gitrepository-layout; Git's technical document "repository-version").
//
// Reading is apart from judging, so that a caller can look before it refuses. Nothing is written. Thread safe. Errors:
// ErrorCode::config for values that mean nothing, ErrorCode::unsupported for what pfetch does not know, by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pfetch::repo {

struct RepositoryFormat {
  int version = 0;                       // core.repositoryFormatVersion
  std::optional<bool> bare;              // core.bare
  std::optional<std::string> work_tree;  // core.worktree, as it stands

  bool precious_objects = false;             // extensions.preciousObjects: nothing may be pruned
  bool worktree_config = false;              // extensions.worktreeConfig: read config.worktree too
  bool relative_worktrees = false;           // extensions.relativeWorktrees
  std::optional<std::string> partial_clone;  // extensions.partialClone: the promisor remote's name
  std::string object_format = "sha1";        // extensions.objectFormat
  std::string ref_storage = "files";         // extensions.refStorage
  std::vector<std::string> v1_only;          // extensions present that mean something from version 1 on only
  std::vector<std::string> unknown;          // extensions that have no meaning here
};

// Reads <common_dir>/config and, with extensions.worktreeConfig, <git_dir>/config.worktree. Includes do not count.
RepositoryFormat read_repository_format(const std::string& common_dir, const std::string& git_dir);

// Throws unless pfetch can read and write such a repository. In version 0 unknown extensions are ignored, as Git does.
void refuse_unknown_format(const RepositoryFormat& format);

}  // namespace pfetch::repo
