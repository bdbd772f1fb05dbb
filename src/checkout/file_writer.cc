#include "checkout/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pfetch::checkout {

namespace {

// The last instant of the second before now.
timespec before_this_second() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return {now.tv_sec - 1, 999'999'999};
}

void set_certain_time(int directory, const char* leaf, int fd) {
  const timespec times[2] = {{0, UTIME_OMIT}, before_this_second()};
  // Where a file system has no times to set, the stat data is merely less certain.
  if (fd >= 0) {
    ::futimens(fd, times);
  } else {
    ::utimensat(directory, leaf, times, AT_SYMLINK_NOFOLLOW);
  }
}

}  // namespace

Written FileWriter::write(FileSlot& file, base::Bytes content) {
  return write_pieces(file, [&](const std::function<void(base::Bytes)>& put) {
    if (!content.empty()) put(content);
  });
}

Written FileWriter::write_pieces(FileSlot& file,
                                 const std::function<void(const std::function<void(base::Bytes)>&)>& produce) {
  std::string_view leaf_name;
  const auto directory = directories_.open_for(*file.directory, file.name, leaf_name);
  const std::string leaf(leaf_name);
  const mode_t mode = file.mode == object::mode_executable && options_.executable_bit ? 0777 : 0666;
  const base::UniqueFd fd(
      ::openat(directory->get(), leaf.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) {
    if (errno == EEXIST) return Written::collided;
    throw_errno(errno, "unable to create file", path_of(file));
  }
  produce([&](base::Bytes piece) {
    try {
      base::write_all(fd.get(), piece, leaf);
    } catch (Error& error) {
      throw error.add_context(path_of(file));
    }
  });
  set_certain_time(-1, nullptr, fd.get());
  file.stat = index_stat(base::stat_fd(fd.get(), leaf));
  file.written = true;
  return Written::yes;
}

Written FileWriter::write_symlink(FileSlot& file, std::string_view target) {
  std::string_view leaf_name;
  const auto directory = directories_.open_for(*file.directory, file.name, leaf_name);
  const std::string leaf(leaf_name);
  if (::symlinkat(std::string(target).c_str(), directory->get(), leaf.c_str()) != 0) {
    if (errno == EEXIST) return Written::collided;
    throw_errno(errno, "unable to create symlink", path_of(file));
  }
  set_certain_time(directory->get(), leaf.c_str(), -1);
  struct stat info {};
  if (::fstatat(directory->get(), leaf.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    throw_errno(errno, "could not stat", path_of(file));
  }
  file.stat = index_stat(info);
  file.written = true;
  return Written::yes;
}

}  // namespace pfetch::checkout
