#include "session/fresh_repository.h"

#include <dirent.h>

#include <cstring>

#include "base/error.h"
#include "base/fd.h"

namespace pfetch::session {

namespace {

bool is_empty_directory(const std::string& path) {
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) return false;
  bool empty = true;
  while (const dirent* entry = ::readdir(directory)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) empty = false;
  }
  ::closedir(directory);
  return empty;
}

}  // namespace

void require_absent_or_empty(const std::string& directory) {
  if (!base::path_exists(directory) || is_empty_directory(directory)) return;
  throw Error(ErrorCode::exists, "destination path '" + directory + "' already exists and is not an empty directory.");
}

FreshRepository::FreshRepository(const repo::InitOptions& options, const repo::Environment& environment) {
  claim(options.directory);
  if (options.separate_git_dir) claim(*options.separate_git_dir);
  if (options.work_tree) claim(*options.work_tree);
  // Objects can be anywhere (GIT_OBJECT_DIRECTORY), and must be somewhere for the repository to be one.
  if (environment.object_directory) base::make_directories(*environment.object_directory + "/pack");
  repo::InitResult made = repo::init_repository(options, environment);
  repository_ = std::make_unique<repo::Repository>(std::move(made.repository));
  warnings_ = std::move(made.warnings);
}

FreshRepository::~FreshRepository() {
  while (!remove_.empty()) remove_.pop_back();
}

void FreshRepository::claim(const std::string& directory) {
  using base::RemoveOnFailure;
  require_absent_or_empty(directory);
  if (base::path_exists(directory)) {
    remove_.emplace_back(directory, RemoveOnFailure::What::tree_contents);
    return;
  }
  // Leading directories first: the deepest is removed first.
  for (std::size_t slash = directory.find('/', 1); slash != std::string::npos; slash = directory.find('/', slash + 1)) {
    const std::string leading = directory.substr(0, slash);
    if (base::path_exists(leading) || leading.empty()) continue;
    remove_.emplace_back(leading, RemoveOnFailure::What::empty_directory);
    base::make_directory(leading);
  }
  remove_.emplace_back(directory, RemoveOnFailure::What::tree);
  base::make_directory(directory);
}

void FreshRepository::keep() {
  for (base::RemoveOnFailure& entry : remove_) entry.dismiss();
}

}  // namespace pfetch::session
