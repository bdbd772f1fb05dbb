// What kind of file system a directory is on: whether its operations wait for another machine or program.
//
// Thread safe.
#pragma once

#include <sys/vfs.h>

#include <cstdint>
#include <functional>
#include <string>

namespace pfetch::checkout {

enum class FileSystemKind {
  local,    // a disk or memory of this machine; also what is not known
  network,  // each operation may wait for a server
  overlay,  // directories laid over each other, as in containers; as fast as what is below
  fuse,     // a program of this machine answers, which may ask others
};

struct FileSystem {
  FileSystemKind kind = FileSystemKind::local;
  std::string name;  // "ext4", "nfs"; empty: not known
};

// Whether each operation may wait for somebody, another machine or a program: what is worth more workers than
// processors.
bool waits_for_others(FileSystemKind kind);

// From `f_type` of statfs(2).
FileSystem file_system_of(std::uint64_t magic);

using StatFs = std::function<int(const char* path, struct statfs* into)>;
// Of a directory that cannot be asked about nothing is known. `stat_fs` stands for statfs(2), for tests.
FileSystem file_system_at(const std::string& path, const StatFs& stat_fs = ::statfs);

// "network file system (nfs)".
std::string describe(const FileSystem& file_system);

}  // namespace pfetch::checkout
