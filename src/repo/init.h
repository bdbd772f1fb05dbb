// Making a new repository's skeleton, as `git init` and the first part of `git clone` do (git-init,
// gitrepository-layout): directories, templates, HEAD, config; for a separate git directory the ".git" file.
//
// Writes below the named directories only, and makes them with their parents where they are not there. Removing them
// after a failure is the caller's (base/cleanup). Not for a repository that exists already: ErrorCode::exists. Other
// errors: config (a bad branch name, a bad setting), unsupported (another object format), io.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repo/environment.h"
#include "repo/repository.h"
#include "repo/shared_mode.h"

namespace pfetch::repo {

struct InitOptions {
  std::string directory;  // the work tree; with `bare` the repository itself
  bool bare = false;
  std::optional<std::string> separate_git_dir;  // the repository is made here, and <directory>/.git points to it
  bool directory_is_git_dir = false;            // no ".git" below it: with `work_tree`, as clone has it
  std::optional<std::string> work_tree;         // a work tree elsewhere (GIT_WORK_TREE), recorded as core.worktree
  std::optional<std::string> template_dir;      // --template; an empty name: no templates
  std::optional<std::string> initial_branch;    // short name; otherwise init.defaultBranch, "master"
  std::optional<SharedMode> shared;             // --shared; otherwise core.sharedRepository
};

struct InitResult {
  Repository repository;
  std::vector<std::string> warnings;  // trouble with templates, in git's words
};

InitResult init_repository(const InitOptions& options, const Environment& environment);

// What HEAD of a new repository names without --initial-branch: init.defaultBranch or "master"; a short name.
std::string default_branch(const Config& config);

}  // namespace pfetch::repo
