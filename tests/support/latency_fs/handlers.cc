// What each request of the kernel does in the backing directory. A handler copies what it was given, which is gone when
// it returns, and leaves the rest to FileSystem::later.
#include <dirent.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "tests/support/latency_fs/file_system.h"

namespace latency_fs {

namespace {

std::string magic_link(const Node& node) {
  return "/proc/self/fd/" + std::to_string(node.fd);
}

void reply_result(fuse_req_t request, int result) {
  fuse_reply_err(request, result == 0 ? 0 : errno);
}

int file_of(const fuse_file_info* info) {
  return static_cast<int>(info->fh);
}

// An open directory: what was in it when it was read from its beginning.
struct OpenDirectory {
  DIR* stream = nullptr;
  struct Entry {
    std::string name;
    struct stat stat;
  };
  std::vector<Entry> entries;

  void read() {
    entries.clear();
    ::rewinddir(stream);
    while (const dirent* found = ::readdir(stream)) {
      struct stat stat {};
      stat.st_ino = found->d_ino;
      stat.st_mode = static_cast<mode_t>(DTTOIF(found->d_type));
      entries.push_back({found->d_name, stat});
    }
  }
};

void on_init(void*, fuse_conn_info* connection) {
  // The umask was applied by the kernel already; and every operation is to be asked for.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_WRITEBACK_CACHE);
}

void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::lookup, request, parent, name, [&system, request, parent, name = std::string(name)] {
    system.reply_entry(request, parent, name.c_str());
  });
}

void on_forget(fuse_req_t request, fuse_ino_t inode, std::uint64_t count) {
  FileSystem::of(request).nodes().forget(inode, count);
  fuse_reply_none(request);
}

void on_forget_multi(fuse_req_t request, std::size_t count, fuse_forget_data* forgets) {
  for (std::size_t i = 0; i < count; ++i) FileSystem::of(request).nodes().forget(forgets[i].ino, forgets[i].nlookup);
  fuse_reply_none(request);
}

void on_getattr(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::getattr, request, inode, nullptr,
               [&system, request, inode] { system.reply_attributes(request, inode); });
}

timespec time_for(int set, int flag, int now_flag, const timespec& value) {
  if ((set & now_flag) != 0) return {0, UTIME_NOW};
  return (set & flag) != 0 ? value : timespec{0, UTIME_OMIT};
}

// 0, or −1 with errno.
int change_attributes(const Node& node, const struct stat& to, int set) {
  const std::string link = magic_link(node);
  if ((set & FUSE_SET_ATTR_MODE) != 0 && ::chmod(link.c_str(), to.st_mode) != 0) return -1;
  if ((set & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0) {
    const uid_t user = (set & FUSE_SET_ATTR_UID) != 0 ? to.st_uid : static_cast<uid_t>(-1);
    const gid_t group = (set & FUSE_SET_ATTR_GID) != 0 ? to.st_gid : static_cast<gid_t>(-1);
    if (::fchownat(node.fd, "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return -1;
  }
  if ((set & FUSE_SET_ATTR_SIZE) != 0 && ::truncate(link.c_str(), to.st_size) != 0) return -1;
  if ((set & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME_NOW)) == 0) {
    return 0;
  }
  const timespec times[] = {time_for(set, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW, to.st_atim),
                            time_for(set, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW, to.st_mtim)};
  return ::utimensat(node.fd, "", times, AT_EMPTY_PATH);
}

void on_setattr(fuse_req_t request, fuse_ino_t inode, struct stat* attributes, int set, fuse_file_info*) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::setattr, request, inode, nullptr, [&system, request, inode, to = *attributes, set] {
    if (change_attributes(system.nodes().get(inode), to, set) != 0) {
      fuse_reply_err(request, errno);
    } else {
      system.reply_attributes(request, inode);
    }
  });
}

void on_readlink(fuse_req_t request, fuse_ino_t inode) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::readlink, request, inode, nullptr, [&system, request, inode] {
    std::string target(4096, '\0');
    const ssize_t length = ::readlinkat(system.nodes().get(inode).fd, "", target.data(), target.size());
    if (length < 0) {
      fuse_reply_err(request, errno);
    } else {
      target.resize(static_cast<std::size_t>(length));
      fuse_reply_readlink(request, target.c_str());
    }
  });
}

void on_mkdir(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::mkdir, request, parent, name, [&system, request, parent, name = std::string(name), mode] {
    if (::mkdirat(system.nodes().get(parent).fd, name.c_str(), mode) != 0) {
      fuse_reply_err(request, errno);
    } else {
      system.reply_entry(request, parent, name.c_str());
    }
  });
}

void remove_name(Operation operation, fuse_req_t request, fuse_ino_t parent, const char* name, int flags) {
  FileSystem& system = FileSystem::of(request);
  system.later(operation, request, parent, name, [&system, request, parent, name = std::string(name), flags] {
    reply_result(request, ::unlinkat(system.nodes().get(parent).fd, name.c_str(), flags));
  });
}

void on_unlink(fuse_req_t request, fuse_ino_t parent, const char* name) {
  remove_name(Operation::unlink, request, parent, name, 0);
}

void on_rmdir(fuse_req_t request, fuse_ino_t parent, const char* name) {
  remove_name(Operation::rmdir, request, parent, name, AT_REMOVEDIR);
}

void on_symlink(fuse_req_t request, const char* target, fuse_ino_t parent, const char* name) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::symlink, request, parent, name,
               [&system, request, parent, name = std::string(name), target = std::string(target)] {
                 if (::symlinkat(target.c_str(), system.nodes().get(parent).fd, name.c_str()) != 0) {
                   fuse_reply_err(request, errno);
                 } else {
                   system.reply_entry(request, parent, name.c_str());
                 }
               });
}

void on_rename(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_ino_t new_parent, const char* new_name,
               unsigned flags) {
  FileSystem& system = FileSystem::of(request);
  system.later(
      Operation::rename, request, parent, name,
      [&system, request, parent, name = std::string(name), new_parent, new_name = std::string(new_name), flags] {
        reply_result(request, ::renameat2(system.nodes().get(parent).fd, name.c_str(),
                                          system.nodes().get(new_parent).fd, new_name.c_str(), flags));
      });
}

void on_link(fuse_req_t request, fuse_ino_t inode, fuse_ino_t parent, const char* name) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::link, request, parent, name, [&system, request, inode, parent, name = std::string(name)] {
    const std::string link = magic_link(system.nodes().get(inode));
    if (::linkat(AT_FDCWD, link.c_str(), system.nodes().get(parent).fd, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      fuse_reply_err(request, errno);
    } else {
      system.reply_entry(request, parent, name.c_str());
    }
  });
}

// The kernel gives offsets itself, also for O_APPEND, and has applied the others.
int backing_flags(int flags) {
  return (flags & ~(O_APPEND | O_DIRECT | O_NOFOLLOW | O_CREAT | O_EXCL | O_NOCTTY)) | O_CLOEXEC;
}

void on_create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, fuse_file_info* info) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::create, request, parent, name,
               [&system, request, parent, name = std::string(name), mode, info = *info]() mutable {
                 const int flags = backing_flags(info.flags) | O_CREAT | O_NOFOLLOW | (info.flags & O_EXCL);
                 const int fd = ::openat(system.nodes().get(parent).fd, name.c_str(), flags, mode);
                 if (fd < 0) {
                   fuse_reply_err(request, errno);
                 } else {
                   info.fh = static_cast<std::uint64_t>(fd);
                   system.reply_entry(request, parent, name.c_str(), &info);
                 }
               });
}

void on_open(fuse_req_t request, fuse_ino_t inode, fuse_file_info* info) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::open, request, inode, nullptr, [&system, request, inode, info = *info]() mutable {
    const int fd = ::open(magic_link(system.nodes().get(inode)).c_str(), backing_flags(info.flags));
    if (fd < 0) {
      fuse_reply_err(request, errno);
      return;
    }
    info.fh = static_cast<std::uint64_t>(fd);
    if (fuse_reply_open(request, &info) != 0) ::close(fd);
  });
}

void on_read(fuse_req_t request, fuse_ino_t inode, std::size_t size, off_t offset, fuse_file_info* info) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::read, request, inode, nullptr, [request, size, offset, fd = file_of(info)] {
    const std::unique_ptr<char[]> bytes(new char[size]);
    const ssize_t length = ::pread(fd, bytes.get(), size, offset);
    if (length < 0) {
      fuse_reply_err(request, errno);
    } else {
      fuse_reply_buf(request, bytes.get(), static_cast<std::size_t>(length));
    }
  });
}

void on_write(fuse_req_t request, fuse_ino_t inode, const char* bytes, std::size_t size, off_t offset,
              fuse_file_info* info) {
  FileSystem& system = FileSystem::of(request);
  if (system.options().short_writes && size > 1) {
    size /= 2;
    system.mutable_counters().cut_short.fetch_add(1);
  }
  system.later(Operation::write, request, inode, nullptr,
               [request, bytes = std::string(bytes, size), offset, fd = file_of(info)] {
                 const ssize_t length = ::pwrite(fd, bytes.data(), bytes.size(), offset);
                 if (length < 0) {
                   fuse_reply_err(request, errno);
                 } else {
                   fuse_reply_write(request, static_cast<std::size_t>(length));
                 }
               });
}

void on_flush(fuse_req_t request, fuse_ino_t inode, fuse_file_info* info) {
  FileSystem::of(request).later(Operation::flush, request, inode, nullptr,
                                [request, fd = file_of(info)] { reply_result(request, ::close(::dup(fd))); });
}

void on_release(fuse_req_t request, fuse_ino_t inode, fuse_file_info* info) {
  FileSystem::of(request).later(Operation::release, request, inode, nullptr,
                                [request, fd = file_of(info)] { reply_result(request, ::close(fd)); });
}

void sync_later(fuse_req_t request, fuse_ino_t inode, int only_data, int fd) {
  FileSystem::of(request).later(Operation::fsync, request, inode, nullptr, [request, only_data, fd] {
    reply_result(request, only_data != 0 ? ::fdatasync(fd) : ::fsync(fd));
  });
}

void on_fsync(fuse_req_t request, fuse_ino_t inode, int only_data, fuse_file_info* info) {
  sync_later(request, inode, only_data, file_of(info));
}

OpenDirectory* directory_of(const fuse_file_info* info) {
  return reinterpret_cast<OpenDirectory*>(info->fh);
}

void on_fsyncdir(fuse_req_t request, fuse_ino_t inode, int only_data, fuse_file_info* info) {
  sync_later(request, inode, only_data, ::dirfd(directory_of(info)->stream));
}

void on_opendir(fuse_req_t request, fuse_ino_t inode, fuse_file_info* info) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::opendir, request, inode, nullptr, [&system, request, inode, info = *info]() mutable {
    const int fd = ::openat(system.nodes().get(inode).fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    auto directory = std::make_unique<OpenDirectory>();
    if (fd >= 0) directory->stream = ::fdopendir(fd);
    if (directory->stream == nullptr) {
      fuse_reply_err(request, errno);
      return;
    }
    info.fh = reinterpret_cast<std::uint64_t>(directory.get());
    if (fuse_reply_open(request, &info) == 0) {
      (void)directory.release();  // on_releasedir has it
    } else {
      ::closedir(directory->stream);
    }
  });
}

// The kernel reads one open directory in one thread at a time.
void on_readdir(fuse_req_t request, fuse_ino_t inode, std::size_t size, off_t offset, fuse_file_info* info) {
  FileSystem::of(request).later(
      Operation::readdir, request, inode, nullptr, [request, size, offset, directory = directory_of(info)] {
        if (offset == 0) directory->read();
        std::string buffer(size, '\0');
        std::size_t used = 0;
        for (auto at = static_cast<std::size_t>(offset); at < directory->entries.size(); ++at) {
          const OpenDirectory::Entry& entry = directory->entries[at];
          const std::size_t needed = fuse_add_direntry(request, buffer.data() + used, size - used, entry.name.c_str(),
                                                       &entry.stat, static_cast<off_t>(at + 1));
          if (needed > size - used) break;
          used += needed;
        }
        fuse_reply_buf(request, buffer.data(), used);
      });
}

void on_releasedir(fuse_req_t request, fuse_ino_t inode, fuse_file_info* info) {
  FileSystem::of(request).later(Operation::releasedir, request, inode, nullptr,
                                [request, directory = directory_of(info)] {
                                  ::closedir(directory->stream);
                                  delete directory;
                                  fuse_reply_err(request, 0);
                                });
}

void on_statfs(fuse_req_t request, fuse_ino_t inode) {
  FileSystem& system = FileSystem::of(request);
  system.later(Operation::statfs, request, inode, nullptr, [&system, request, inode] {
    struct statvfs found {};
    if (::fstatvfs(system.nodes().get(inode).fd, &found) != 0) {
      fuse_reply_err(request, errno);
    } else {
      fuse_reply_statfs(request, &found);
    }
  });
}

void on_fallocate(fuse_req_t request, fuse_ino_t inode, int mode, off_t offset, off_t length, fuse_file_info* info) {
  FileSystem::of(request).later(Operation::fallocate, request, inode, nullptr,
                                [request, mode, offset, length, fd = file_of(info)] {
                                  reply_result(request, ::fallocate(fd, mode, offset, length));
                                });
}

fuse_lowlevel_ops make_operations() {
  fuse_lowlevel_ops all{};
  all.init = on_init;
  all.lookup = on_lookup;
  all.forget = on_forget;
  all.forget_multi = on_forget_multi;
  all.getattr = on_getattr;
  all.setattr = on_setattr;
  all.readlink = on_readlink;
  all.mkdir = on_mkdir;
  all.unlink = on_unlink;
  all.rmdir = on_rmdir;
  all.symlink = on_symlink;
  all.rename = on_rename;
  all.link = on_link;
  all.create = on_create;
  all.open = on_open;
  all.read = on_read;
  all.write = on_write;
  all.flush = on_flush;
  all.release = on_release;
  all.fsync = on_fsync;
  all.opendir = on_opendir;
  all.readdir = on_readdir;
  all.releasedir = on_releasedir;
  all.fsyncdir = on_fsyncdir;
  all.statfs = on_statfs;
  all.fallocate = on_fallocate;
  return all;
}

}  // namespace

const fuse_lowlevel_ops FileSystem::operations = make_operations();

}  // namespace latency_fs
