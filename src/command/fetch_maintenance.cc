#include "command/fetch_maintenance.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/process.h"
#include "repo/hooks.h"

namespace pfetch::command {

namespace {

constexpr std::int64_t loose_objects_by_default = 6700;  // gc.auto
constexpr std::int64_t packs_by_default = 50;            // gc.autoPackLimit

// How many names of `directory` end in `suffix`.
std::int64_t count_files(const std::string& directory, std::string_view suffix) {
  std::vector<std::string> names;
  base::list_names(directory, names);
  return std::count_if(names.begin(), names.end(),
                       [suffix](const std::string& name) { return name.ends_with(suffix); });
}

void run_git(std::vector<std::string> words, const repo::Repository& repository, session::Reporter& reporter) {
  base::ProcessOptions options;
  options.argv = {"git"};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  options.out = base::ProcessOptions::Stream::to_stderr;
  options.environment = repo::repository_environment(repository);
  if (base::Process::start(options).wait() != 0) reporter.warn("git " + words.front() + " failed");
}

}  // namespace

bool maintenance_may_be_due(const repo::Repository& repository) {
  const repo::Config& config = repository.config();
  for (const std::string& task : config.subsections("maintenance")) {
    if (config.get_bool("maintenance." + task + ".enabled", false)) return true;
  }
  const std::int64_t loose_max = config.get_int("gc.auto", loose_objects_by_default);
  if (loose_max <= 0) return false;
  // One of the 256 directories stands for all of them, as in git.
  const std::int64_t in_one = count_files(repository.objects_dir() + "/17", "");
  if (in_one > (loose_max + 255) / 256) return true;
  const std::int64_t packs_max = config.get_int("gc.autopacklimit", packs_by_default);
  return packs_max > 0 && count_files(repository.objects_dir() + "/pack", ".pack") > packs_max;
}

void maintain(const FetchArguments& arguments, const repo::Repository& repository, session::Reporter& reporter) {
  if (arguments.dry_run) return;
  const repo::Config& config = repository.config();
  const bool is_cut = base::path_exists(repository.common_dir() + "/shallow");
  if (arguments.write_commit_graph.value_or(config.get_bool("fetch.writecommitgraph", false)) && !is_cut) {
    run_git({"commit-graph", "write", "--reachable", "--split", "--no-progress"}, repository, reporter);
  }
  if (!arguments.auto_maintenance.value_or(config.get_bool("maintenance.auto", true))) return;
  if (!maintenance_may_be_due(repository)) return;
  run_git({"maintenance", "run", "--auto", arguments.quiet ? "--quiet" : "--no-quiet"}, repository, reporter);
}

}  // namespace pfetch::command
