#include "repo/init.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/fd.h"
#include "object/ref_name.h"
#include "repo/config_file.h"
#include "repo/paths.h"
#include "repo/template_copy.h"

namespace pfetch::repo {

namespace {

void make_shared_directory(const std::string& path, const SharedMode& shared) {
  if (!base::is_directory(path)) base::make_directory(path);
  shared.adjust_path(path);
}

void write_file(const std::string& path, std::string_view text, const SharedMode& shared) {
  const base::UniqueFd file = base::open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  base::write_all(file.get(), base::as_bytes(text), path);
  shared.adjust_file(file.get(), path);
}

// What the file system under a new repository can do, tried out with a file that is gone afterwards.
struct FileSystemTraits {
  bool keeps_executable_bit = false;
  bool has_symlinks = false;
  bool ignores_case = false;
};

FileSystemTraits probe_file_system(const std::string& git_dir) {
  FileSystemTraits traits;
  std::string name = git_dir + "/tXXXXXX";
  const base::UniqueFd file(::mkstemp(name.data()));
  if (!file) throw_errno(errno, "unable to create", name);
  struct stat plain {};
  struct stat flipped {};
  traits.keeps_executable_bit = ::lstat(name.c_str(), &plain) == 0 && (plain.st_mode & S_IXUSR) == 0 &&
                                ::chmod(name.c_str(), plain.st_mode ^ S_IXUSR) == 0 &&
                                ::lstat(name.c_str(), &flipped) == 0 && plain.st_mode != flipped.st_mode;
  ::unlink(name.c_str());
  struct stat link {};
  traits.has_symlinks =
      ::symlink("testing", name.c_str()) == 0 && ::lstat(name.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  ::unlink(name.c_str());
  traits.ignores_case = ::access((git_dir + "/oBjEcTs").c_str(), F_OK) == 0;
  return traits;
}

// A work tree that the place of the git directory does not tell.
bool needs_work_tree_setting(const std::string& git_dir, const std::string& work_tree) {
  return path_below(work_tree, ".git") != git_dir;
}

void write_config(const std::string& git_dir, const InitOptions& options, const Config& config,
                  const SharedMode& shared) {
  const FileSystemTraits traits = probe_file_system(git_dir);
  const std::string path = git_dir + "/config";
  ConfigFileEdit edit(path);
  edit.set("core.repositoryformatversion", "0");
  edit.set("core.filemode", traits.keeps_executable_bit ? "true" : "false");
  edit.set("core.bare", options.bare ? "true" : "false");
  if (!options.bare) {
    if (!config.has("core.logallrefupdates")) edit.set("core.logallrefupdates", "true");
    if (options.work_tree && needs_work_tree_setting(git_dir, *options.work_tree)) {
      edit.set("core.worktree", *options.work_tree);
    }
  }
  if (!traits.has_symlinks) edit.set("core.symlinks", "false");
  if (traits.ignores_case) edit.set("core.ignorecase", "true");
  if (shared.is_shared()) {
    edit.set("core.sharedrepository", shared.config_value());
    edit.set("receive.denyNonFastforwards", "true");
  }
  edit.commit();
  shared.adjust_path(path);
}

bool is_branch_short_name(const std::string& name) {
  return !name.starts_with('-') && object::is_valid_ref_name("refs/heads/" + name);
}

std::string initial_branch(const InitOptions& options, const Config& config) {
  if (!options.initial_branch) return default_branch(config);
  if (!is_branch_short_name(*options.initial_branch)) {
    throw Error(ErrorCode::config, fmt::format("invalid initial branch name: '{}'", *options.initial_branch));
  }
  return *options.initial_branch;
}

SharedMode shared_mode(const InitOptions& options, const Config& config) {
  if (options.shared) return *options.shared;
  return SharedMode::parse(config.has("core.sharedrepository") ? config.get("core.sharedrepository") : "umask");
}

void refuse_other_hashes(const Environment& environment) {
  if (!environment.default_hash || environment.default_hash->empty() || *environment.default_hash == "sha1") return;
  throw Error(ErrorCode::unsupported,
              fmt::format("GIT_DEFAULT_HASH = {}: pfetch makes SHA-1 repositories only", *environment.default_hash));
}

}  // namespace

std::string default_branch(const Config& config) {
  std::string name = config.get("init.defaultBranch", "");
  if (name.empty()) return "master";
  if (!is_branch_short_name(name)) {
    throw Error(ErrorCode::config, fmt::format("invalid branch name: init.defaultBranch = {}", name));
  }
  return name;
}

InitResult init_repository(const InitOptions& options, const Environment& environment) {
  refuse_other_hashes(environment);
  const Config user_config = Config::load(environment);
  const std::string branch = initial_branch(options, user_config);
  std::vector<std::string> warnings;

  base::make_directories(options.directory);
  const std::string top = real_path_or_same(absolute_path(options.directory));
  const std::string dot_git = options.bare || options.directory_is_git_dir ? top : path_below(top, ".git");
  std::string git_dir = dot_git;
  if (options.separate_git_dir) git_dir = absolute_path(*options.separate_git_dir);
  if (base::path_exists(git_dir + "/HEAD") || (git_dir != dot_git && base::path_exists(dot_git))) {
    throw Error(ErrorCode::exists, fmt::format("a repository is there already: '{}'", git_dir));
  }
  base::make_directories(git_dir);
  git_dir = real_path_or_same(git_dir);
  if (options.separate_git_dir) write_file(dot_git, fmt::format("gitdir: {}\n", git_dir), {});

  // A template may bring a config of its own, which then counts like the user's.
  copy_template(choose_template_dir(options.template_dir, environment, user_config), git_dir,
                shared_mode(options, user_config), warnings);
  const Config config = Config::load(environment, {git_dir, git_dir, false});
  const SharedMode shared = shared_mode(options, config);
  shared.adjust_path(git_dir);
  for (const char* name : {"refs", "refs/heads", "refs/tags", "objects", "objects/info", "objects/pack"}) {
    make_shared_directory(git_dir + "/" + name, shared);
  }
  write_config(git_dir, options, config, shared);
  if (!base::path_exists(git_dir + "/HEAD")) {
    write_file(git_dir + "/HEAD", fmt::format("ref: refs/heads/{}\n", branch), shared);
  }

  std::optional<std::string> work_tree;
  if (!options.bare) work_tree = options.work_tree.value_or(top);
  return {Repository::open(git_dir, environment, work_tree), std::move(warnings)};
}

}  // namespace pfetch::repo
