#include "base/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/fd.h"

namespace pfetch::base {

namespace {

// Removes everything below a directory. No more than two descriptors are open, however deep it goes: on the way up a
// directory is reached by "..", and known again by its device and inode.
class TreeRemoval {
 public:
  explicit TreeRemoval(int fd) : here_(fd) {}

  bool run() {
    remove_files();
    for (;;) {
      while (!directories_.empty()) {
        const std::string name = std::move(directories_.back());
        directories_.pop_back();
        if (::unlinkat(here_.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) continue;
        if (enter(name)) {
          remove_files();
        } else {
          all_ = false;
        }
      }
      if (levels_.empty()) return all_;
      if (!leave()) return false;
    }
  }

 private:
  struct Level {
    std::string name;  // of the directory we are in
    struct stat above;
    std::vector<std::string> directories_above;
  };

  // Removes what is no directory, and notes the directories.
  void remove_files() {
    DIR* dir = ::fdopendir(::openat(here_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (dir == nullptr) {
      all_ = false;
      return;
    }
    while (const dirent* entry = ::readdir(dir)) {
      const char* name = entry->d_name;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      if (::unlinkat(here_.get(), name, 0) == 0 || errno == ENOENT) continue;
      if (errno == EISDIR || errno == EPERM) {
        directories_.emplace_back(name);
      } else {
        all_ = false;
      }
    }
    ::closedir(dir);
  }

  bool enter(const std::string& name) {
    struct stat above {};
    UniqueFd below(::openat(here_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!below || ::fstat(here_.get(), &above) != 0) return false;
    levels_.push_back({name, above, std::exchange(directories_, {})});
    here_ = std::move(below);
    return true;
  }

  bool leave() {
    UniqueFd above(::openat(here_.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat info {};
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (!above || ::fstat(above.get(), &info) != 0) return false;
    if (info.st_dev != level.above.st_dev || info.st_ino != level.above.st_ino) return false;  // it was moved
    here_ = std::move(above);
    directories_ = std::move(level.directories_above);
    if (::unlinkat(here_.get(), level.name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) all_ = false;
    return true;
  }

  UniqueFd here_;
  std::vector<std::string> directories_;  // in `here_`, still to be removed
  std::vector<Level> levels_;             // down to `here_`
  bool all_ = true;
};

bool remove_below(int fd) noexcept {
  UniqueFd top(fd);
  try {
    return TreeRemoval(top.release()).run();
  } catch (const std::bad_alloc&) {
    return false;
  }
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

bool remove_tree_at(int directory, const char* name) noexcept {
  const int fd = ::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || ::unlinkat(directory, name, 0) == 0 || errno == ENOENT;
  return remove_below(fd) && ::unlinkat(directory, name, AT_REMOVEDIR) == 0;
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
