#include "base/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "base/error.h"

namespace pfetch::base {

namespace {

// In the unit that leaves the fewest digits and at least two of something: "119 seconds", "2 minutes", "3 days".
std::string age_text(std::int64_t seconds) {
  if (seconds < 2 * 60) return fmt::format("{} second{}", seconds, seconds == 1 ? "" : "s");
  if (seconds < 2 * 3600) return fmt::format("{} minutes", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{} hours", seconds / 3600);
  return fmt::format("{} days", seconds / 86400);
}

[[noreturn]] void throw_held(const std::string& lock_path) {
  struct stat info {};
  std::string age;
  if (::lstat(lock_path.c_str(), &info) == 0) {
    age = fmt::format(" (created {} ago)", age_text(std::max<std::int64_t>(0, std::time(nullptr) - info.st_mtime)));
  }
  throw Error(ErrorCode::exists,
              fmt::format("Unable to create '{}': File exists{}. Another git or pfetch process seems to be at work in "
                          "this repository; if none is, remove the file and try again",
                          lock_path, age));
}

}  // namespace

LockFile LockFile::take(const std::string& path, mode_t mode, int wait_ms) {
  LockFile lock;
  const std::string lock_path = path + ".lock";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  auto pause = std::chrono::milliseconds(1);
  for (;;) {
    const int fd = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) {
      lock.fd_.reset(fd);
      break;
    }
    if (errno == EINTR) continue;
    if (errno != EEXIST) throw_errno(errno, "Unable to create", lock_path);
    if (std::chrono::steady_clock::now() >= deadline) throw_held(lock_path);
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(100));
  }
  lock.path_ = path;
  lock.lock_path_ = lock_path;
  lock.remove_ = RemoveOnFailure(lock_path, RemoveOnFailure::What::file);
  return lock;
}

void LockFile::write(Bytes bytes) {
  write_all(fd_.get(), bytes, lock_path_);
}

void LockFile::sync() {
  sync_fd(fd_.get(), lock_path_);
}

void LockFile::commit() {
  fd_.reset();
  rename_file(lock_path_, path_);
  remove_.dismiss();
  path_.clear();
}

void LockFile::rollback() {
  fd_.reset();
  remove_.remove_now();
  path_.clear();
}

}  // namespace pfetch::base
