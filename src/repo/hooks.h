// Finding and running a repository's hooks (githooks).
//
// A hook runs in the top of the work tree, or in the git directory of a bare repository; GIT_DIR names the repository;
// its standard output goes to standard error. Thread safe. Errors: ErrorCode::io, not_found, when one that is there
// cannot be started.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repo/repository.h"

namespace pfetch::repo {

struct FoundHook {
  std::string path;    // absolute; empty: there is none to run
  std::string advice;  // what to tell the user about one that is there but not executable; may be several lines
};

// Under core.hooksPath if that is set, otherwise in <common_dir>/hooks.
FoundHook find_hook(const Repository& repository, std::string_view name);

struct HookOptions {
  std::optional<std::string> input;  // what it reads from standard input; nullopt: /dev/null
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // set, or unset with nullopt
};

struct HookOutcome {
  bool ran = false;
  int status = 0;      // its exit status, or 128 + signal number; 0 when there was no hook
  std::string advice;  // see FoundHook
};

// Runs the hook, if there is one, to its end. A hook that does not read its input is no error.
HookOutcome run_hook(const Repository& repository, std::string_view name, const std::vector<std::string>& arguments,
                     const HookOptions& options = {});

// The variables by which a child process sees `repository` as pfetch does, wherever it is started.
std::vector<std::pair<std::string, std::optional<std::string>>> repository_environment(const Repository& repository);

}  // namespace pfetch::repo
