#include "checkout/index_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/fd.h"
#include "object/tree_view.h"

namespace pfetch::checkout {
namespace {

constexpr std::size_t buffer_bytes_max = 256 * 1024;
constexpr std::uint32_t version = 2;
constexpr std::uint32_t path_size_in_flags_max = 0xfff;  // a longer path ends at its NUL
// Ten numbers of 32 bits (stat data and mode), the id, and the flags.
constexpr std::size_t fixed_bytes = 10 * 4 + object::Oid::raw_size + 2;

std::uint32_t low_32(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

// What stands in the extension for one directory.
std::string cache_tree_line(const CacheTreeNode& node) {
  std::string line(node.name);
  line += '\0';
  line += fmt::format("{} {}\n", node.entry_count, node.subtree_count);
  if (node.entry_count >= 0) line += base::as_text(node.id.bytes());
  return line;
}

[[maybe_unused]] bool is_one_whole_tree(std::span<const CacheTreeNode> nodes) {
  std::uint64_t awaited = 1;
  for (const CacheTreeNode& node : nodes) {
    if (awaited == 0) return false;
    awaited = awaited - 1 + node.subtree_count;
  }
  return awaited == 0;
}

}  // namespace

IndexStat index_stat(const struct stat& from) {
  IndexStat stat;
  stat.ctime_s = low_32(static_cast<std::uint64_t>(from.st_ctim.tv_sec));
  stat.ctime_ns = low_32(static_cast<std::uint64_t>(from.st_ctim.tv_nsec));
  stat.mtime_s = low_32(static_cast<std::uint64_t>(from.st_mtim.tv_sec));
  stat.mtime_ns = low_32(static_cast<std::uint64_t>(from.st_mtim.tv_nsec));
  stat.dev = low_32(from.st_dev);
  stat.ino = low_32(from.st_ino);
  stat.uid = from.st_uid;
  stat.gid = from.st_gid;
  stat.size = low_32(static_cast<std::uint64_t>(from.st_size));
  return stat;
}

IndexWriter::IndexWriter(int fd, std::string path, std::uint64_t entry_count)
    : fd_(fd), path_(std::move(path)), entries_left_(entry_count) {
  if (entry_count > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::unsupported, fmt::format("{} files are more than an index can hold", entry_count));
  }
  buffer_.reserve(buffer_bytes_max);
  put("DIRC", 4);
  put_be32(version);
  put_be32(static_cast<std::uint32_t>(entry_count));
}

IndexWriter::IndexWriter(base::LockFile& lock, std::uint64_t entry_count)
    : IndexWriter(lock.fd(), lock.lock_path(), entry_count) {}

void IndexWriter::add(const IndexEntry& entry) {
  if (entry.path.empty()) throw Error(ErrorCode::corrupt, "the tree holds a file without a name");
  // char_traits compares bytes as unsigned, which is the index's order.
  if (const int order = entry.path.compare(last_entry_path_); order <= 0) {
    const std::string_view problem = order == 0 ? "names a file twice" : "holds a file out of order";
    throw Error(ErrorCode::corrupt, fmt::format("the tree {}: '{}'", problem, entry.path));
  }
  assert(entries_left_ > 0);
  --entries_left_;
  last_entry_path_.assign(entry.path);

  const std::uint32_t mode = object::canonical_mode(entry.mode);
  assert(mode != object::mode_tree);
  std::array<std::uint8_t, fixed_bytes> fixed;
  std::uint8_t* at = fixed.data();
  const IndexStat& stat = entry.stat;
  for (const std::uint32_t value : {stat.ctime_s, stat.ctime_ns, stat.mtime_s, stat.mtime_ns, stat.dev, stat.ino, mode,
                                    stat.uid, stat.gid, stat.size}) {
    base::store_be32(at, value);
    at += 4;
  }
  at = std::copy(entry.id.raw.begin(), entry.id.raw.end(), at);
  const std::size_t path_size = std::min<std::size_t>(entry.path.size(), path_size_in_flags_max);
  base::store_be16(at, static_cast<std::uint16_t>(path_size));

  put(fixed.data(), fixed.size());
  put(entry.path.data(), entry.path.size());
  // One to eight NULs, so that the entry's size is a multiple of eight.
  constexpr std::array<char, 8> nuls{};
  put(nuls.data(), 8 - (fixed.size() + entry.path.size()) % 8);
}

void IndexWriter::finish(std::span<const CacheTreeNode> cache_tree) {
  assert(entries_left_ == 0);
  if (!cache_tree.empty()) put_cache_tree(cache_tree);
  flush();
  const base::Sha1Digest digest = checksum_.finish();
  base::write_all(fd_, {reinterpret_cast<const std::byte*>(digest.data()), digest.size()}, path_);
}

void IndexWriter::put_cache_tree(std::span<const CacheTreeNode> nodes) {
  assert(is_one_whole_tree(nodes));
  std::uint64_t size = 0;
  for (const CacheTreeNode& node : nodes) size += cache_tree_line(node).size();
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::unsupported, "the cache tree is larger than an index can hold");
  }
  put("TREE", 4);
  put_be32(static_cast<std::uint32_t>(size));
  for (const CacheTreeNode& node : nodes) {
    const std::string line = cache_tree_line(node);
    put(line.data(), line.size());
  }
}

void IndexWriter::put(const void* bytes, std::size_t size) {
  if (buffer_.size() + size > buffer_bytes_max) flush();
  buffer_.append(static_cast<const char*>(bytes), size);
}

void IndexWriter::put_be32(std::uint32_t value) {
  std::array<std::uint8_t, 4> bytes;
  base::store_be32(bytes.data(), value);
  put(bytes.data(), bytes.size());
}

void IndexWriter::flush() {
  if (buffer_.empty()) return;
  checksum_.update(base::as_bytes(buffer_));
  base::write_all(fd_, base::as_bytes(buffer_), path_);
  buffer_.clear();
}

}  // namespace pfetch::checkout
