// Git's lock files: `<path>.lock` is created with O_EXCL, filled, and renamed over `<path>`.
//
// The descriptor may be closed while the lock is held (`close`), so that many locks cost no descriptors. Destruction
// without `commit` removes the lock. Not thread safe.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/fd.h"

namespace pfetch::base {

class LockFile {
 public:
  LockFile() = default;
  // Creates `<path>.lock`. While another process holds it, tries again for at most `wait_ms` milliseconds, then throws
  // ErrorCode::exists with the lock's path and age and what to do about it.
  static LockFile take(const std::string& path, mode_t mode = 0666, int wait_ms = 0);

  bool held() const { return !path_.empty(); }
  const std::string& path() const { return path_; }  // the file that will be replaced
  const std::string& lock_path() const { return lock_path_; }
  int fd() const { return fd_.get(); }

  void write(Bytes bytes);
  void write(std::string_view text) { write(as_bytes(text)); }
  void sync();
  void close() { fd_.reset(); }
  // Renames the lock over the file. Throws on failure, and then the lock is removed.
  void commit();
  // Removes the lock; the file stays as it was.
  void rollback();

 private:
  std::string path_;
  std::string lock_path_;
  UniqueFd fd_;
  RemoveOnFailure remove_;
};

}  // namespace pfetch::base
