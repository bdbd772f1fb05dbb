// Whether a repository that was merely found may be trusted: its configuration can name programs to run, so it must
// belong to who runs pfetch, or be named in safe.directory (git-config, "safe.directory" and "safe.bareRepository").
//
// Reads file owners, and configuration only when an owner is another. Thread safe.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "repo/environment.h"

namespace pfetch::repo {

// Who owns a path, and who we are; replaced in tests.
struct Ownership {
  std::function<std::optional<uid_t>(const std::string& path)> owner_of;  // lstat; nullopt when it is not there
  uid_t user = 0;                                                         // the effective user
  static Ownership of_system();
};

// Throws ErrorCode::refused, with the cure, unless every path of `owned` belongs to the user (or, for root, to
// SUDO_UID) or `directory` is named by safe.directory in the system's, the user's or the command line's configuration.
void ensure_safe_directory(const std::string& directory, const std::vector<std::string>& owned,
                           const Environment& environment, const Ownership& ownership = Ownership::of_system());

// Throws ErrorCode::refused for a bare repository that was found, not named, under safe.bareRepository = explicit.
void ensure_bare_allowed(const std::string& git_dir, const Environment& environment);

}  // namespace pfetch::repo
