// The inodes that the kernel knows: each has a descriptor (O_PATH) on what it stands for in the backing directory, so
// it stays right when names change, and no path is ever put together. Thread safe.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "tests/support/latency_fs/fuse.h"

namespace latency_fs {

struct Node {
  int fd = -1;  // O_PATH
  dev_t device = 0;
  ino_t number = 0;
  std::uint64_t lookups = 0;  // how often the kernel was told of it
};

class NodeTable {
 public:
  // Throws std::system_error.
  explicit NodeTable(const std::string& backing);
  ~NodeTable();
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  // A node stays as long as the kernel knows it, and so for each request that names it.
  const Node& get(fuse_ino_t inode) const;
  // Looks `name` up below `parent` and counts that the kernel knows it. 0, or an error number.
  int enter(const Node& parent, const char* name, struct stat& stat, fuse_ino_t& inode);
  void forget(fuse_ino_t inode, std::uint64_t count);
  // The path below the backing directory, "a/b/c".
  std::string path(fuse_ino_t inode, const char* name) const;

 private:
  Node root_;
  std::string root_path_;
  std::mutex mutex_;  // guards the map and what its nodes count
  std::map<std::pair<dev_t, ino_t>, Node> nodes_;
};

}  // namespace latency_fs
