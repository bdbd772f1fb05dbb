#include "repo/hooks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/fd.h"
#include "base/process.h"
#include "base/sigpipe.h"
#include "repo/paths.h"

namespace pfetch::repo {

namespace {

const std::string& hook_directory(const Repository& repository) {
  return repository.work_tree() ? *repository.work_tree() : repository.git_dir();
}

}  // namespace

FoundHook find_hook(const Repository& repository, std::string_view name) {
  FoundHook found;
  const auto configured = repository.config().get_path("core.hooksPath");
  const std::string directory =
      configured ? path_below(hook_directory(repository), *configured) : repository.common_dir() + "/hooks";
  const std::string path = fmt::format("{}/{}", directory, name);
  if (::access(path.c_str(), X_OK) == 0) {
    found.path = path;
  } else if (errno == EACCES && repository.config().get_bool("advice.ignoredHook", true)) {
    found.advice = fmt::format(
        "The '{}' hook was ignored because it's not set as executable.\n"
        "You can disable this warning with `git config advice.ignoredHook false`.",
        path);
  }
  return found;
}

std::vector<std::pair<std::string, std::optional<std::string>>> repository_environment(const Repository& repository) {
  const Environment& environment = repository.environment();
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
  variables.emplace_back("GIT_DIR", repository.git_dir());
  // With GIT_DIR alone a child takes its current directory for the work tree, which is right where hooks run.
  variables.emplace_back("GIT_WORK_TREE", environment.work_tree ? repository.work_tree() : std::nullopt);
  variables.emplace_back("GIT_COMMON_DIR",
                         environment.common_dir ? std::optional(repository.common_dir()) : std::nullopt);
  if (environment.index_file) variables.emplace_back("GIT_INDEX_FILE", repository.index_path());
  if (environment.object_directory) variables.emplace_back("GIT_OBJECT_DIRECTORY", repository.objects_dir());
  if (environment.shallow_file) variables.emplace_back("GIT_SHALLOW_FILE", repository.shallow_path());
  if (!environment.overrides.empty()) {
    variables.emplace_back("GIT_CONFIG_COUNT", std::nullopt);
    variables.emplace_back("GIT_CONFIG_PARAMETERS", environment.quoted_overrides());
  }
  return variables;
}

HookOutcome run_hook(const Repository& repository, std::string_view name, const std::vector<std::string>& arguments,
                     const HookOptions& options) {
  HookOutcome outcome;
  FoundHook found = find_hook(repository, name);
  outcome.advice = std::move(found.advice);
  if (found.path.empty()) return outcome;

  base::ProcessOptions process;
  process.argv.push_back(found.path);
  process.argv.insert(process.argv.end(), arguments.begin(), arguments.end());
  process.directory = hook_directory(repository);
  process.environment = repository_environment(repository);
  process.environment.insert(process.environment.end(), options.environment.begin(), options.environment.end());
  process.in = options.input ? base::ProcessOptions::Stream::pipe : base::ProcessOptions::Stream::null;
  process.out = base::ProcessOptions::Stream::to_stderr;
  base::Process child = base::Process::start(process);
  if (options.input) {
    base::write_to_reader(child.in.get(), *options.input, found.path);
    child.in.reset();
  }
  outcome.status = child.wait();
  outcome.ran = true;
  return outcome;
}

}  // namespace pfetch::repo
