#include "tests/support/latency_fs/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace latency_fs {

namespace {
constexpr unsigned queue_threads = 16;  // they only carry out; waiting costs none
}

FileSystem::FileSystem(const Options& options)
    : options_(options), faults_(options.faults), nodes_(options.backing), queue_(queue_threads) {}

void FileSystem::later(Operation operation, fuse_req_t request, fuse_ino_t inode, const char* name,
                       std::function<void()> work) {
  counters_.begin(operation);
  const int error = faults_.check(operation, [&] { return nodes_.path(inode, name); });
  auto carry_out = [this, request, error, work = std::move(work)] {
    counters_.end();
    if (error == 0) return work();
    counters_.failed_on_purpose.fetch_add(1);
    fuse_reply_err(request, error);
  };
  if (options_.delay[operation].count() == 0) return carry_out();
  queue_.after(options_.delay[operation], std::move(carry_out));
}

// The backing directory keeps them as they are; nobody else looks there.
void FileSystem::round_times(struct stat& stat) const {
  if (options_.time_step_s == 0) return;
  for (timespec* time : {&stat.st_atim, &stat.st_mtim, &stat.st_ctim}) {
    time->tv_sec -= time->tv_sec % static_cast<time_t>(options_.time_step_s);
    time->tv_nsec = 0;
  }
}

void FileSystem::reply_entry(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_file_info* file) {
  fuse_entry_param entry{};
  entry.attr_timeout = entry.entry_timeout = options_.cache_seconds;
  const int error = nodes_.enter(nodes_.get(parent), name, entry.attr, entry.ino);
  round_times(entry.attr);
  if (error == ENOENT && file == nullptr && options_.cache_seconds > 0) {
    fuse_reply_entry(request, &entry);  // inode 0: the kernel may remember that there is nothing
    return;
  }
  if (error != 0) {
    if (file != nullptr) ::close(static_cast<int>(file->fh));
    fuse_reply_err(request, error);
    return;
  }
  const int sent = file != nullptr ? fuse_reply_create(request, &entry, file) : fuse_reply_entry(request, &entry);
  if (sent == 0) return;
  // Whoever asked is gone: nobody will release or forget.
  if (file != nullptr) ::close(static_cast<int>(file->fh));
  nodes_.forget(entry.ino, 1);
}

void FileSystem::reply_attributes(fuse_req_t request, fuse_ino_t inode) {
  struct stat stat {};
  if (::fstatat(nodes_.get(inode).fd, "", &stat, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) {
    fuse_reply_err(request, errno);
  } else {
    round_times(stat);
    fuse_reply_attr(request, &stat, options_.cache_seconds);
  }
}

}  // namespace latency_fs
