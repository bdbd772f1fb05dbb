// Finding a repository: from a directory upwards, or at a given place (gitrepository-layout; git(1), "GIT_DIR",
// "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM").
//
// Only looks. Thread safe, but for the current directory. Errors: ErrorCode::not_found, and ErrorCode::refused where
// safe.directory or safe.bareRepository says no.
#pragma once

#include <optional>
#include <string>

#include "repo/environment.h"

namespace pfetch::repo {

struct FoundRepository {
  std::string git_dir;                    // absolute
  std::optional<std::string> dot_git_in;  // the directory whose ".git" led here; nullopt: the directory itself is one
};

// From `start` upwards, as far as ceilings and file systems allow. `start` must be absolute.
FoundRepository find_repository(const std::string& start, const Environment& environment);

// Whether the directory looks like a repository: HEAD is valid, objects/ and refs/ are there.
bool is_git_directory(const std::string& path, const Environment& environment);

// What a "gitdir: <path>" file points to, absolute. Throws if the file is malformed or nothing is there.
std::string read_gitfile(const std::string& path, const Environment& environment);

// Where what linked worktrees share is: GIT_COMMON_DIR, or what the file "commondir" says, or `git_dir` itself.
std::string common_dir_of(const std::string& git_dir, const Environment& environment);

}  // namespace pfetch::repo
