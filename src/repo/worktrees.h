// The worktrees of a repository, the main one and those that `git worktree` has linked (gitrepository-layout(5),
// "worktrees").
//
// Reads a few small files at each call; what is broken there is left out. Any thread.
#pragma once

#include <string>
#include <vector>

#include "object/oid.h"
#include "repo/repository.h"

namespace pfetch::repo {

struct Worktree {
  std::string git_dir;      // holds HEAD, index and logs/HEAD of this worktree
  std::string path;         // the directory with the files; of a bare repository: the git directory
  bool bare = false;        // no files
  std::string head_branch;  // "refs/heads/main"; empty: detached
  object::Oid head_id;      // of a detached HEAD; null otherwise
};

// The main worktree first.
std::vector<Worktree> list_worktrees(const Repository& repository);

}  // namespace pfetch::repo
