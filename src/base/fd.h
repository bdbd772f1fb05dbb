// File descriptors: owned, and the few operations on them that everything uses.
//
// All functions retry EINTR and throw pfetch::Error naming `path`. Every descriptor is opened O_CLOEXEC.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace pfetch::base {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

// open(2) with O_CLOEXEC added; throws on failure.
UniqueFd open_file(const std::string& path, int flags, mode_t mode = 0666);
// As open_file, but an absent file gives an empty UniqueFd.
UniqueFd open_if_there(const std::string& path, int flags);

// Writes all of `bytes`; throws with `path` in the message (ENOSPC and EDQUOT included).
void write_all(int fd, Bytes bytes, std::string_view path);
void pwrite_all(int fd, Bytes bytes, std::uint64_t offset, std::string_view path);
// Reads exactly into.size() bytes from `offset`; throws ErrorCode::corrupt if the file ends before.
void pread_all(int fd, std::span<std::byte> into, std::uint64_t offset, std::string_view path);
// At most into.size() bytes; 0 at end of file.
std::size_t read_some(int fd, std::span<std::byte> into, std::string_view path);

// At most `size` bytes from where the descriptor stands; less at end of file.
std::string read_up_to(int fd, std::size_t size, std::string_view path);
// All that is left, at most `size_max` bytes (ErrorCode::refused beyond).
std::string read_whole(int fd, const std::string& path, std::uint64_t size_max = std::uint64_t{1} << 30);

// A whole file as a string, at most `size_max` bytes (ErrorCode::refused beyond).
std::string read_file(const std::string& path, std::uint64_t size_max = std::uint64_t{1} << 30);
// As read_file; false when the file is absent.
bool read_file_if_there(const std::string& path, std::string& into, std::uint64_t size_max = std::uint64_t{1} << 30);

struct stat stat_fd(int fd, std::string_view path);
bool path_exists(const std::string& path);  // lstat: a dangling symlink exists
// Adds the names in a directory that do not begin with '.', in no order; false when it cannot be listed.
bool list_names(const std::string& directory, std::vector<std::string>& names);
bool is_directory(const std::string& path);                          // stat: follows symlinks
void make_directory(const std::string& path, mode_t mode = 0777);    // one level; throws if it exists
void make_directories(const std::string& path, mode_t mode = 0777);  // mkdir -p
void sync_fd(int fd, std::string_view path);                         // fsync
void sync_directory(const std::string& path);                        // makes renames in it durable
// The process's umask as it was at the first call, without changing it (other threads create files).
mode_t current_umask();
// Whether two files have the same bytes.
bool same_bytes(const std::string& one, const std::string& other);
void rename_file(const std::string& from, const std::string& to);

// A read-only private mapping of a whole file. An empty file maps to an empty view.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::string& path);
  MappedFile(int fd, std::string_view path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  Bytes view() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pfetch::base
