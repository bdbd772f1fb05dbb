// The operations that the file system knows, as FUSE names them, and how often each was asked for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace latency_fs {

enum class Operation {
  lookup,
  getattr,
  setattr,
  readlink,
  mkdir,
  unlink,
  rmdir,
  symlink,
  rename,
  link,
  open,
  read,
  write,
  flush,
  release,
  fsync,
  opendir,
  readdir,
  releasedir,
  statfs,
  create,
  fallocate,
};

inline constexpr std::array<std::string_view, 22> operation_names{
    "lookup",  "getattr", "setattr",    "readlink", "mkdir",  "unlink",   "rmdir",   "symlink",
    "rename",  "link",    "open",       "read",     "write",  "flush",    "release", "fsync",
    "opendir", "readdir", "releasedir", "statfs",   "create", "fallocate"};

template <class T>
class PerOperation {
 public:
  T& operator[](Operation operation) { return values_[static_cast<std::size_t>(operation)]; }
  const T& operator[](Operation operation) const { return values_[static_cast<std::size_t>(operation)]; }

 private:
  std::array<T, operation_names.size()> values_{};
};

// Any thread.
struct Counters {
  PerOperation<std::atomic<std::uint64_t>> asked;
  std::atomic<std::uint64_t> failed_on_purpose{0};
  std::atomic<std::uint64_t> cut_short{0};  // writes
  std::atomic<std::uint64_t> outstanding{0};
  std::atomic<std::uint64_t> outstanding_max{0};

  // Between the two an operation is outstanding.
  void begin(Operation operation);
  void end() { outstanding.fetch_sub(1); }
  // One JSON object, written beside `path` and renamed, so that whoever sees it sees it whole.
  void write(const std::string& path) const;
};

}  // namespace latency_fs
