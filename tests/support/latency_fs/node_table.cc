#include "tests/support/latency_fs/node_table.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

namespace latency_fs {

namespace {

std::string path_of(int fd) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), buffer.data(), buffer.size());
  return length > 0 ? std::string(buffer.data(), static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

NodeTable::NodeTable(const std::string& backing) {
  root_.fd = ::open(backing.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct stat stat {};
  if (root_.fd < 0 || ::fstat(root_.fd, &stat) != 0) throw std::system_error(errno, std::generic_category(), backing);
  root_.device = stat.st_dev;
  root_.number = stat.st_ino;
  root_path_ = path_of(root_.fd);
}

NodeTable::~NodeTable() {
  ::close(root_.fd);
  for (const auto& [key, node] : nodes_) ::close(node.fd);
}

const Node& NodeTable::get(fuse_ino_t inode) const {
  return inode == FUSE_ROOT_ID ? root_ : *reinterpret_cast<const Node*>(inode);
}

int NodeTable::enter(const Node& parent, const char* name, struct stat& stat, fuse_ino_t& inode) {
  const int fd = ::openat(parent.fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  if (::fstat(fd, &stat) != 0) {
    const int error = errno;
    ::close(fd);
    return error;
  }
  const std::lock_guard lock(mutex_);
  Node& node = nodes_[{stat.st_dev, stat.st_ino}];
  if (node.lookups++ == 0) {
    node.fd = fd;
    node.device = stat.st_dev;
    node.number = stat.st_ino;
  } else {
    ::close(fd);
  }
  inode = reinterpret_cast<fuse_ino_t>(&node);
  return 0;
}

void NodeTable::forget(fuse_ino_t inode, std::uint64_t count) {
  if (inode == FUSE_ROOT_ID) return;
  const std::lock_guard lock(mutex_);
  Node& node = *reinterpret_cast<Node*>(inode);
  node.lookups -= std::min(count, node.lookups);
  if (node.lookups > 0) return;
  ::close(node.fd);
  nodes_.erase({node.device, node.number});
}

std::string NodeTable::path(fuse_ino_t inode, const char* name) const {
  std::string path = path_of(get(inode).fd);
  path.erase(0, std::min(path.size(), root_path_.size()));
  if (path.starts_with('/')) path.erase(0, 1);
  if (name == nullptr) return path;
  return path.empty() ? name : path + "/" + name;
}

}  // namespace latency_fs
