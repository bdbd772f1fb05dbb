#include "repo/repository.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fd.h"
#include "repo/discovery.h"
#include "repo/paths.h"

namespace pfetch::repo {

namespace {

// core.worktree counts from the git directory, and not at all in a linked worktree, which shares the file.
std::optional<std::string> configured_work_tree(const Repository& repository) {
  if (!repository.format().work_tree || repository.is_linked_worktree()) return std::nullopt;
  return normalised_path(path_below(repository.git_dir(), *repository.format().work_tree));
}

// The directory, or what a gitdir file in its place points to.
std::string named_git_dir(const std::string& path, const Environment& environment) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return read_gitfile(path, environment);
  if (!is_git_directory(path, environment)) {
    throw Error(ErrorCode::not_found, fmt::format("not a git repository: '{}'", path));
  }
  return real_path_or_same(path);
}

}  // namespace

void Repository::set_places(const std::string& git_dir, const Environment& environment) {
  environment_ = environment;
  git_dir_ = git_dir;
  common_dir_ = common_dir_of(git_dir, environment);
  objects_dir_ = absolute_path(environment.object_directory.value_or(common_dir_ + "/objects"));
  index_path_ = absolute_path(environment.index_file.value_or(git_dir_ + "/index"));
  shallow_path_ = environment.shallow_file.value_or(common_dir_ + "/shallow");
  if (!shallow_path_.empty()) shallow_path_ = absolute_path(shallow_path_);
  format_ = read_repository_format(common_dir_, git_dir_);
  refuse_unknown_format(format_);
  reload_config();
}

void Repository::reload_config() {
  config_ =
      std::make_unique<const Config>(Config::load(environment_, {common_dir_, git_dir_, format_.worktree_config}));
  std::optional<std::string> shared = "umask";
  config_->for_each("core.sharedrepository", [&shared](const ConfigEntry& entry) {
    if (entry.key == "core.sharedrepository") shared = entry.value;
  });
  shared_mode_ = SharedMode::parse(shared);
}

Repository Repository::discover(const Environment& environment, const std::string& start) {
  const std::string here = start.empty() ? current_directory() : real_path_or_same(absolute_path(start));
  Repository repository;
  const bool named = environment.git_dir.has_value();
  FoundRepository found;
  if (named) {
    found.git_dir = named_git_dir(path_below(here, *environment.git_dir), environment);
  } else {
    found = find_repository(here, environment);
  }
  repository.set_places(found.git_dir, environment);
  const bool called_bare = repository.format_.bare.value_or(false) && !repository.is_linked_worktree();
  if (environment.work_tree) {
    repository.work_tree_ = real_path_or_same(path_below(here, *environment.work_tree));
  } else if (const auto configured = configured_work_tree(repository); configured && !called_bare) {
    repository.work_tree_ = configured;
  } else if (named && !called_bare) {
    repository.work_tree_ = here;  // with GIT_DIR alone, the current directory is the top of the work tree
  } else if (!called_bare) {
    repository.work_tree_ = found.dot_git_in;
  }
  repository.bare_ = !repository.work_tree_ && repository.format_.bare.value_or(true);
  return repository;
}

Repository Repository::open(const std::string& git_dir, const Environment& environment,
                            const std::optional<std::string>& work_tree) {
  Environment places = environment;
  places.git_dir.reset();
  places.work_tree.reset();
  places.common_dir.reset();
  Repository repository;
  const std::string path = absolute_path(git_dir);
  repository.set_places(named_git_dir(path, places), places);
  const bool called_bare = repository.format_.bare.value_or(false) && !repository.is_linked_worktree();
  if (work_tree) {
    repository.work_tree_ = real_path_or_same(absolute_path(*work_tree));
  } else if (const auto configured = configured_work_tree(repository); configured && !called_bare) {
    repository.work_tree_ = configured;
  } else if (!called_bare && normalised_path(path).ends_with("/.git")) {
    repository.work_tree_ = real_path_or_same(directory_of(normalised_path(path)));
  }
  repository.bare_ = !repository.work_tree_ && repository.format_.bare.value_or(true);
  return repository;
}

}  // namespace pfetch::repo
