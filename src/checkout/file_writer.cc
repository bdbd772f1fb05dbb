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

bool leads_to(int directory, const std::string& link, std::string_view target) {
  std::string found(target.size() + 1, '\0');
  const ssize_t size = ::readlinkat(directory, link.c_str(), found.data(), found.size());
  return size >= 0 && std::string_view(found).substr(0, static_cast<std::size_t>(size)) == target;
}

}  // namespace

base::UniqueFd create_file(DirectoryWriter& directories, const FileSlot& file, DirectoryWriter::Handle& directory,
                           std::string& leaf) {
  const mode_t mode = file.mode == object::mode_executable ? 0777 : 0666;
  base::UniqueFd fd;
  const int error = directories.in_directory_of(
      *file.directory, file.name, [&](const DirectoryWriter::Handle& handle, const std::string& name) {
        directory = handle;
        leaf = name;
        fd = base::UniqueFd(
            ::openat(handle->get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
        return fd ? 0 : errno;
      });
  if (error != 0 && error != EEXIST) throw_errno(error, "unable to create file", path_of(file));
  return fd;
}

void complete_file(int fd, FileSlot& file, FileTimes times) {
  if (times == FileTimes::certain) ::futimens(fd, CertainTime().times);
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
    complete_file(fd.get(), file, times_);
  } catch (...) {
    ::unlinkat(directory->get(), leaf.c_str(), 0);  // a short file would pass for a change of the user's
    throw;
  }
  return Written::yes;
}

Written FileWriter::write_symlink(FileSlot& file, std::string_view content) {
  const std::string target(content.substr(0, content.find('\0')));  // the system takes no more
  DirectoryWriter::Handle directory;
  std::string leaf;
  const int error = directories_.in_directory_of(
      *file.directory, file.name, [&](const DirectoryWriter::Handle& handle, const std::string& name) {
        directory = handle;
        leaf = name;
        return ::symlinkat(target.c_str(), handle->get(), name.c_str()) == 0 ? 0 : errno;
      });
  if (error == EEXIST) return Written::collided;
  if (error != 0) throw_errno(error, "unable to create symlink", path_of(file));
  if (times_ == FileTimes::certain) {
    ::utimensat(directory->get(), leaf.c_str(), CertainTime().times, AT_SYMLINK_NOFOLLOW);
  }
  struct stat info {};
  if (::fstatat(directory->get(), leaf.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    throw_errno(errno, "could not stat", path_of(file));
  }
  // A link cannot be held open. If another process has put something else there, it is not to be taken for this one:
  // looked at in this order, stat data that are recorded are those of the link, or of nothing that is there any more.
  if (leads_to(directory->get(), leaf, target)) file.stat = index_stat(info);
  file.written = true;
  return Written::yes;
}

}  // namespace pfetch::checkout
