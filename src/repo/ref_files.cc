#include "repo/ref_files.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/fd.h"

namespace pfetch::repo {

mode_t shared_mode(mode_t mode, int shared_repository, bool is_directory) {
  if (shared_repository == 0) return mode;
  auto bits = static_cast<mode_t>(shared_repository < 0 ? -shared_repository : shared_repository);
  if ((mode & S_IWUSR) == 0) bits &= ~static_cast<mode_t>(0222);
  if ((mode & S_IXUSR) != 0) bits |= (bits & 0444) >> 2;
  mode = shared_repository < 0 ? (mode & ~static_cast<mode_t>(0777)) | bits : mode | bits;
  if (is_directory) {
    mode |= (mode & 0444) >> 2;
    if ((mode & 060) != 0) mode |= S_ISGID;  // new files belong to the group of the directory
  }
  return mode;
}

void apply_shared_mode(const std::string& path, int shared_repository) {
  if (shared_repository == 0) return;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) throw_errno(errno, "could not stat", path);
  if (S_ISLNK(info.st_mode)) return;
  const mode_t now = info.st_mode & 07777;
  const mode_t wanted = shared_mode(now, shared_repository, S_ISDIR(info.st_mode));
  if (wanted != now && ::chmod(path.c_str(), wanted) != 0) {
    throw_errno(errno, "could not make shared", path);
  }
}

void make_parent_directories(const std::string& path, int shared_repository) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos || slash == 0) return;
  const std::string parent = path.substr(0, slash);
  for (int attempt = 0;; ++attempt) {
    if (base::is_directory(parent)) return;
    if (::mkdir(parent.c_str(), 0777) == 0) {
      apply_shared_mode(parent, shared_repository);
      return;
    }
    const int error_number = errno;
    if (error_number == EEXIST && base::is_directory(parent)) return;
    // ENOENT: the level above is not there yet, or was just removed by another process.
    if (error_number != ENOENT || attempt == 3) throw_errno(error_number, "could not create directory", parent);
    make_parent_directories(parent, shared_repository);
  }
}

void remove_empty_parents(const std::string& path, const std::string& top) noexcept {
  std::string parent = path;
  for (;;) {
    const auto slash = parent.find_last_of('/');
    if (slash == std::string::npos || slash <= top.size()) return;
    parent.resize(slash);
    if (::rmdir(parent.c_str()) != 0) return;
  }
}

bool remove_empty_directories(const std::string& path) noexcept {
  if (::rmdir(path.c_str()) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return errno == ENOENT;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) return false;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    const std::string below = path + "/" + entry->d_name;
    struct stat info {};
    if (::lstat(below.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || !remove_empty_directories(below)) return false;
  }
  return ::rmdir(path.c_str()) == 0;
}

}  // namespace pfetch::repo
