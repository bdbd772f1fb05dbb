#include "base/fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/error.h"

namespace pfetch::base {

void UniqueFd::reset(int fd) noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

UniqueFd open_file(const std::string& path, int flags, mode_t mode) {
  for (;;) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (fd >= 0) return UniqueFd(fd);
    if (errno != EINTR) throw_errno(errno, (flags & O_CREAT) != 0 ? "unable to create" : "could not open", path);
  }
}

UniqueFd open_if_there(const std::string& path, int flags) {
  for (;;) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    if (fd >= 0) return UniqueFd(fd);
    if (errno == ENOENT || errno == ENOTDIR) return {};
    if (errno != EINTR) throw_errno(errno, "could not open", path);
  }
}

void write_all(int fd, Bytes bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_errno(errno, "unable to write", path);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void pwrite_all(int fd, Bytes bytes, std::uint64_t offset, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_errno(errno, "unable to write", path);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void pread_all(int fd, std::span<std::byte> into, std::uint64_t offset, std::string_view path) {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw_errno(errno, "could not read", path);
    }
    if (got == 0) throw Error(ErrorCode::corrupt, "unexpected end of file '" + std::string(path) + "'");
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::size_t read_some(int fd, std::span<std::byte> into, std::string_view path) {
  for (;;) {
    const ssize_t got = ::read(fd, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw_errno(errno, "could not read", path);
  }
}

std::string read_up_to(int fd, std::size_t size, std::string_view path) {
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const std::size_t got = read_some(fd, std::as_writable_bytes(std::span(text)).subspan(filled), path);
    if (got == 0) break;
    filled += got;
  }
  text.resize(filled);
  return text;
}

std::string read_whole(int fd, const std::string& path, std::uint64_t size_max) {
  std::string text;
  const auto expected = static_cast<std::uint64_t>(stat_fd(fd, path).st_size);
  if (expected > size_max) throw Error(ErrorCode::refused, "file '" + path + "' is larger than expected");
  text.resize(expected + 1);  // one more, so that end of file is seen without growing
  std::size_t filled = 0;
  for (;;) {
    if (filled == text.size()) text.resize(text.size() * 2);
    const std::size_t got = read_some(fd, std::as_writable_bytes(std::span(text)).subspan(filled), path);
    if (got == 0) break;
    filled += got;
    if (filled > size_max) throw Error(ErrorCode::refused, "file '" + path + "' is larger than expected");
  }
  text.resize(filled);
  return text;
}

std::string read_file(const std::string& path, std::uint64_t size_max) {
  return read_whole(open_file(path, O_RDONLY).get(), path, size_max);
}

bool read_file_if_there(const std::string& path, std::string& into, std::uint64_t size_max) {
  const UniqueFd fd = open_if_there(path, O_RDONLY);
  if (!fd) return false;
  into = read_whole(fd.get(), path, size_max);
  return true;
}

struct stat stat_fd(int fd, std::string_view path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw_errno(errno, "could not stat", path);
  return info;
}

bool path_exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

bool list_names(const std::string& directory, std::vector<std::string>& names) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
  if (!stream) return false;
  while (const dirent* const entry = ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe): our own stream
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return true;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

void make_directory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) throw_errno(errno, "could not create directory", path);
}

void make_directories(const std::string& path, mode_t mode) {
  if (path.empty() || is_directory(path)) return;
  const auto slash = path.find_last_of('/');
  if (slash != std::string::npos && slash > 0) make_directories(path.substr(0, slash), mode);
  if (::mkdir(path.c_str(), mode) != 0 && !(errno == EEXIST && is_directory(path))) {
    throw_errno(errno, "could not create directory", path);
  }
}

void sync_fd(int fd, std::string_view path) {
  while (::fsync(fd) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == ENOSYS) return;  // a pipe or a file system that cannot sync
    throw_errno(errno, "could not sync", path);
  }
}

void sync_directory(const std::string& path) {
  const UniqueFd fd = open_file(path, O_RDONLY | O_DIRECTORY);
  sync_fd(fd.get(), path);
}

mode_t current_umask() {
  static const mode_t mask = [] {
    std::string status;
    const auto at = read_file_if_there("/proc/self/status", status) ? status.find("\nUmask:\t") : std::string::npos;
    return at == std::string::npos ? mode_t{022} : static_cast<mode_t>(std::stoul(status.substr(at + 8), nullptr, 8));
  }();
  return mask;
}

bool same_bytes(const std::string& one, const std::string& other) {
  const MappedFile a(one);
  const MappedFile b(other);
  return as_text(a.view()) == as_text(b.view());
}

void rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw_errno(errno, "could not rename '" + from + "' to", to);
}

MappedFile::MappedFile(const std::string& path) : MappedFile(open_file(path, O_RDONLY).get(), path) {}

MappedFile::MappedFile(int fd, std::string_view path) {
  const auto size = static_cast<std::size_t>(stat_fd(fd, path).st_size);
  if (size == 0) return;
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) throw_errno(errno, "could not map", path);
  data_ = static_cast<const std::byte*>(at);
  size_ = size;
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace pfetch::base
