#include "checkout/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pfetch::checkout {

namespace {

// For futimens and utimensat: a modification time at the last instant of the second before now. Where a file system has
// no times to set, the stat data is merely less certain, so failures are let pass.
struct CertainTime {
  timespec times[2] = {{0, UTIME_OMIT}, {0, 999'999'999}};

  CertainTime() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    times[1].tv_sec = now.tv_sec - 1;
  }
};

}  // namespace

base::UniqueFd create_file(DirectoryWriter& directories, const FileSlot& file, DirectoryWriter::Handle& directory,
                           std::string& leaf) {
  std::string_view leaf_name;
  directory = directories.open_for(*file.directory, file.name, leaf_name);
  leaf = leaf_name;
  if (!directory) return {};
  const mode_t mode = file.mode == object::mode_executable ? 0777 : 0666;
  for (int attempt = 0;; ++attempt) {
    base::UniqueFd fd(
        ::openat(directory->get(), leaf.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (fd || errno == EEXIST) return fd;
    if (errno != EMFILE || attempt == 8) throw_errno(errno, "unable to create file", path_of(file));
    directories.give_back_descriptors();
  }
}

void complete_file(int fd, FileSlot& file) {
  ::futimens(fd, CertainTime().times);
  file.stat = index_stat(base::stat_fd(fd, file.name));
  file.written = true;
}

Written FileWriter::write(FileSlot& file, base::Bytes content) {
  return write_pieces(file, [&](const std::function<void(base::Bytes)>& put) {
    if (!content.empty()) put(content);
  });
}

Written FileWriter::write_pieces(FileSlot& file,
                                 const std::function<void(const std::function<void(base::Bytes)>&)>& produce) {
  DirectoryWriter::Handle directory;
  std::string leaf;
  const base::UniqueFd fd = create_file(directories_, file, directory, leaf);
  if (!fd) return Written::collided;
  try {
    produce([&](base::Bytes piece) { base::write_all(fd.get(), piece, path_of(file)); });
    complete_file(fd.get(), file);
  } catch (...) {
    ::unlinkat(directory->get(), leaf.c_str(), 0);  // a short file would pass for a change of the user's
    throw;
  }
  return Written::yes;
}

Written FileWriter::write_symlink(FileSlot& file, std::string_view target) {
  std::string_view leaf_name;
  const auto directory = directories_.open_for(*file.directory, file.name, leaf_name);
  const std::string leaf(leaf_name);
  if (!directory) return Written::collided;
  if (::symlinkat(std::string(target).c_str(), directory->get(), leaf.c_str()) != 0) {
    if (errno == EEXIST) return Written::collided;
    throw_errno(errno, "unable to create symlink", path_of(file));
  }
  ::utimensat(directory->get(), leaf.c_str(), CertainTime().times, AT_SYMLINK_NOFOLLOW);
  struct stat info {};
  if (::fstatat(directory->get(), leaf.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    throw_errno(errno, "could not stat", path_of(file));
  }
  file.stat = index_stat(info);
  file.written = true;
  return Written::yes;
}

}  // namespace pfetch::checkout
