#include "base/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace pfetch::base {

namespace {

// Removes everything below the directory `fd` (which it closes). Depth is bounded by PATH_MAX of what was created.
bool remove_below(int fd) noexcept {
  DIR* dir = ::fdopendir(fd);
  if (dir == nullptr) {
    ::close(fd);
    return false;
  }
  bool all = true;
  while (const dirent* entry = ::readdir(dir)) {
    const char* name = entry->d_name;
    if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
    if (::unlinkat(fd, name, 0) == 0 || errno == ENOENT) continue;
    const int below = ::openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0) remove_below(below);
    all = (::unlinkat(fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT) && all;
  }
  ::closedir(dir);
  return all;
}

}  // namespace

bool remove_tree(const std::string& path, bool keep_top) noexcept {
  // A directory that stays is the user's own, perhaps named by a link of the user's.
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (keep_top ? 0 : O_NOFOLLOW));
  if (fd < 0) return (!keep_top && ::unlink(path.c_str()) == 0) || errno == ENOENT;
  const bool below_gone = remove_below(fd);
  if (keep_top) return below_gone;
  return ::rmdir(path.c_str()) == 0;
}

RemoveOnFailure::RemoveOnFailure(RemoveOnFailure&& other) noexcept
    : path_(std::move(other.path_)), what_(other.what_), armed_(std::exchange(other.armed_, false)) {}

RemoveOnFailure& RemoveOnFailure::operator=(RemoveOnFailure&& other) noexcept {
  if (this != &other) {
    remove_now();
    path_ = std::move(other.path_);
    what_ = other.what_;
    armed_ = std::exchange(other.armed_, false);
  }
  return *this;
}

RemoveOnFailure::~RemoveOnFailure() {
  remove_now();
}

void RemoveOnFailure::remove_now() noexcept {
  if (!std::exchange(armed_, false)) return;
  switch (what_) {
    case What::file:
      ::unlink(path_.c_str());
      break;
    case What::tree:
      remove_tree(path_);
      break;
    case What::tree_contents:
      remove_tree(path_, true);
      break;
    case What::empty_directory:
      ::rmdir(path_.c_str());
      break;
  }
}

}  // namespace pfetch::base
