#include "checkout/obstacles.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "checkout/by_path.h"

namespace pfetch::checkout {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// The mode of what stands there; nullopt: nothing.
std::optional<mode_t> mode_at(int directory, const std::string& leaf, std::string_view path) {
  struct stat found {};
  if (::fstatat(directory, leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) return found.st_mode;
  if (errno == ENOENT) return std::nullopt;
  throw_errno(errno, "cannot stat", path);
}

base::UniqueFd open_directory(int above, const std::string& leaf, std::string_view path) {
  base::UniqueFd fd(::openat(above, leaf.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) throw_errno(errno, "cannot open directory", path);
  return fd;
}

void append(std::vector<std::string>& to, std::vector<std::string>&& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void make_unique(std::vector<std::string>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

Obstacles& Obstacles::operator+=(Obstacles other) {
  append(untracked_overwritten, std::move(other.untracked_overwritten));
  append(untracked_removed, std::move(other.untracked_removed));
  append(directories, std::move(other.directories));
  append(ignored, std::move(other.ignored));
  return *this;
}

void Obstacles::sort() {
  for (auto* const list : {&untracked_overwritten, &untracked_removed, &directories, &ignored}) make_unique(*list);
}

ObstacleFinder::ObstacleFinder(int top, const Index& index, const SwitchPlan& plan, IgnoreTest ignored, bool folds_case)
    : index_(index),
      plan_(plan),
      ignored_(std::move(ignored)),
      folds_case_(folds_case),
      cursor_(top),
      spellings_(top, index) {}

void ObstacleFinder::look_at(const PlannedPath& planned) {
  if (planned.current == nullptr) {
    look_at_untracked(planned);
  } else if (planned.current->mode == object::mode_gitlink && planned.target &&
             planned.target.mode != object::mode_gitlink && would_lose_files_below(planned.path)) {
    found_.directories.emplace_back(planned.path);
  }
}

void ObstacleFinder::look_at_untracked(const PlannedPath& planned) {
  const DirectoryCursor::Place place = cursor_.place_of(planned.path);
  if (place.directory < 0) {
    if (place.error == ENOENT) return;
    if (place.error != ENOTDIR && place.error != ELOOP)
      throw_errno(place.error, "cannot open directory", place.missing);
    if (planned.target) look_above(place.missing);
    return;
  }
  const auto mode = mode_at(place.directory, place.leaf, planned.path);
  if (!mode) return;
  const bool is_directory = S_ISDIR(*mode);
  if (is_directory && planned.target.mode == object::mode_gitlink) return;
  if (!is_directory && planned.target && has_other_spelling(planned.path)) return;
  if (may_overwrite(planned.path, is_directory)) {
    if (planned.target) found_.ignored.emplace_back(planned.path);
  } else if (!is_directory) {
    (planned.target ? found_.untracked_overwritten : found_.untracked_removed).emplace_back(planned.path);
  } else if (would_lose_files_below(planned.path)) {
    found_.directories.emplace_back(planned.path);
  }
}

// A file or a link where a directory must be.
void ObstacleFinder::look_above(std::string_view above) {
  if (above == last_above_) return;
  last_above_ = above;
  const PlannedPath* const leaving = find_leaving(above);
  if (leaving != nullptr && leaving->current != nullptr) return;  // it is tracked
  if (has_other_spelling(above)) return;
  const auto* const entry = index_.find(above);
  const bool is_tracked = entry != nullptr && entry->stage == 0;
  if (!is_tracked && may_overwrite(above, false)) {
    found_.ignored.emplace_back(above);
  } else if (leaving == nullptr) {  // or it is among those that would be removed
    found_.untracked_overwritten.emplace_back(above);
  }
}

// The plan's word on a path that is not wanted; null: it says nothing of the kind.
const PlannedPath* ObstacleFinder::find_leaving(std::string_view path) const {
  const PlannedPath* const planned = find_by_path(plan_.paths, path);
  return planned != nullptr && !planned->target ? planned : nullptr;
}

// Whether a tracked file leaves.
bool ObstacleFinder::goes_away(std::string_view path) const {
  const PlannedPath* const leaving = find_leaving(path);
  return leaving != nullptr && leaving->current != nullptr;
}

bool ObstacleFinder::may_overwrite(std::string_view path, bool is_directory) {
  return ignored_ && ignored_(path, is_directory);
}

bool ObstacleFinder::has_other_spelling(std::string_view path) {
  return folds_case_ && spellings_.find(path) != nullptr;
}

bool ObstacleFinder::would_lose_files_below(std::string_view path) {
  const DirectoryCursor::Place place = cursor_.place_of(path);
  if (place.directory < 0) return false;
  base::UniqueFd directory = open_directory(place.directory, place.leaf, path);
  const auto* const entry = index_.find(path);
  const bool is_submodule = entry != nullptr && entry->mode == object::mode_gitlink;
  if (directory && !is_submodule && may_overwrite(path, true)) return false;
  return directory && has_other_files(std::move(directory), std::string(path), is_submodule);
}

// Whether there are files, at any depth, that are not tracked or do not go away. Nothing in a submodule is tracked
// here.
bool ObstacleFinder::has_other_files(base::UniqueFd directory, const std::string& path, bool in_submodule) const {
  const std::unique_ptr<DIR, CloseDirectory> list(::fdopendir(directory.get()));
  if (list == nullptr) throw_errno(errno, "cannot read directory", path);
  const int here = directory.release();  // the list closes it
  for (;;) {
    errno = 0;
    const dirent* const found = ::readdir(list.get());
    if (found == nullptr) {
      if (errno != 0) throw_errno(errno, "cannot read directory", path);
      return false;
    }
    const std::string name = found->d_name;
    if (name == "." || name == "..") continue;
    const std::string inside = path + "/" + name;
    const auto mode = mode_at(here, name, inside);
    if (!mode) continue;
    if (!S_ISDIR(*mode)) {
      if (in_submodule || !goes_away(inside)) return true;
      continue;
    }
    base::UniqueFd below = open_directory(here, name, inside);
    const auto* const entry = in_submodule ? nullptr : index_.find(inside);
    const bool is_submodule = in_submodule || (entry != nullptr && entry->mode == object::mode_gitlink);
    if (below && has_other_files(std::move(below), inside, is_submodule)) return true;
  }
}

}  // namespace pfetch::checkout
