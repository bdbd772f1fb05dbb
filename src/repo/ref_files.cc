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

void make_parent_directories(const std::string& path, const SharedMode& shared) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos || slash == 0) return;
  const std::string parent = path.substr(0, slash);
  for (int attempt = 0;; ++attempt) {
    if (base::is_directory(parent)) return;
    if (::mkdir(parent.c_str(), 0777) == 0) {
      shared.adjust_path(parent);
      return;
    }
    const int error_number = errno;
    if (error_number == EEXIST && base::is_directory(parent)) return;
    // ENOENT: the level above is not there yet, or was just removed by another process.
    if (error_number != ENOENT || attempt == 3) throw_errno(error_number, "could not create directory", parent);
    make_parent_directories(parent, shared);
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
