#include "checkout/index_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/fd.h"
#include "checkout/index_layout.h"

namespace pfetch::checkout {
namespace {

constexpr std::size_t buffer_bytes_max = 256 * 1024;
// Ten numbers of 32 bits (stat data and mode), the id, the flags, and the extended flags if there are any.
constexpr std::size_t fixed_bytes_max = 10 * 4 + object::Oid::raw_size + 2 + 2;

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

std::strong_ordering compare_in_index(const IndexEntry& one, const IndexEntry& other) {
  // char_traits compares bytes as unsigned.
  const std::strong_ordering paths = one.path <=> other.path;
  return paths != 0 ? paths : one.stage <=> other.stage;
}

IndexWriter::IndexWriter(int fd, std::string path, std::uint64_t entry_count, IndexFormat format)
    : fd_(fd), path_(std::move(path)), format_(format), entries_left_(entry_count) {
  assert(format.version >= 2 && format.version <= 4);
  if (entry_count > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::unsupported, fmt::format("{} files are more than an index can hold", entry_count));
  }
  buffer_.reserve(buffer_bytes_max);
  put("DIRC", 4);
  put_be32(format.version);
  put_be32(static_cast<std::uint32_t>(entry_count));
}

IndexWriter::IndexWriter(base::LockFile& lock, std::uint64_t entry_count, IndexFormat format)
    : IndexWriter(lock.fd(), lock.lock_path(), entry_count, format) {}

void IndexWriter::add(const IndexEntry& entry) {
  if (entry.path.empty()) throw Error(ErrorCode::corrupt, "the tree holds a file without a name");
  IndexEntry last;
  last.path = last_entry_path_;
  last.stage = last_entry_stage_;
  if (const auto order = compare_in_index(entry, last); order <= 0) {
    const std::string_view problem = order == 0 ? "names a file twice" : "holds a file out of order";
    throw Error(ErrorCode::corrupt, fmt::format("the tree {}: '{}'", problem, entry.path));
  }
  assert(entries_left_ > 0 && entry.stage <= index_stage_max);
  assert(format_.version >= 3 || !entry.has_extended_flags());
  assert(!entry.is_sparse_directory() || (entry.path.ends_with('/') && entry.skip_worktree));

  std::array<std::uint8_t, fixed_bytes_max> fixed;
  std::uint8_t* at = fixed.data();
  const IndexStat& stat = entry.stat;
  const std::uint32_t mode = object::canonical_mode(entry.mode);
  for (const std::uint32_t value : {stat.ctime_s, stat.ctime_ns, stat.mtime_s, stat.mtime_ns, stat.dev, stat.ino, mode,
                                    stat.uid, stat.gid, stat.size}) {
    base::store_be32(at, value);
    at += 4;
  }
  at = std::copy(entry.id.raw.begin(), entry.id.raw.end(), at);
  std::uint32_t flags = static_cast<std::uint32_t>(std::min(entry.path.size(), index_path_size_max));
  flags |= std::uint32_t{entry.stage} << index_stage_shift;
  if (entry.assume_valid) flags |= index_assume_valid;
  if (entry.has_extended_flags()) flags |= index_extended;
  base::store_be16(at, static_cast<std::uint16_t>(flags));
  at += 2;
  if (entry.has_extended_flags()) {
    const std::uint32_t extended = (entry.skip_worktree ? index_skip_worktree : 0U) |  //
                                   (entry.intent_to_add ? index_intent_to_add : 0U);
    base::store_be16(at, static_cast<std::uint16_t>(extended));
    at += 2;
  }
  const auto fixed_bytes = static_cast<std::size_t>(at - fixed.data());
  put(fixed.data(), fixed_bytes);
  put_path(entry.path, fixed_bytes);
  --entries_left_;
  last_entry_path_.assign(entry.path);
  last_entry_stage_ = entry.stage;
}

void IndexWriter::put_path(std::string_view path, std::size_t fixed_bytes) {
  constexpr std::array<char, 8> nuls{};
  if (format_.version < 4) {
    put(path.data(), path.size());
    // One to eight NULs, so that the entry's size is a multiple of eight.
    put(nuls.data(), 8 - (fixed_bytes + path.size()) % 8);
    return;
  }
  const std::string_view last = last_entry_path_;
  const auto same =
      static_cast<std::size_t>(std::mismatch(path.begin(), path.end(), last.begin(), last.end()).first - path.begin());
  std::string dropped;
  append_varint(dropped, last.size() - same);
  put(dropped.data(), dropped.size());
  put(path.data() + same, path.size() - same);
  put(nuls.data(), 1);
}

void IndexWriter::finish(std::span<const CacheTreeNode> cache_tree, std::span<const IndexExtension> extensions) {
  assert(entries_left_ == 0);
  if (!cache_tree.empty()) put_cache_tree(cache_tree);
  for (const IndexExtension& extension : extensions) {
    put_extension_header(extension.signature, extension.content.size());
    put(extension.content.data(), extension.content.size());
  }
  flush();
  base::Sha1Digest digest = checksum_.finish();
  if (format_.skip_checksum) digest = {};
  base::write_all(fd_, {reinterpret_cast<const std::byte*>(digest.data()), digest.size()}, path_);
}

void IndexWriter::put_extension_header(std::string_view signature, std::uint64_t size) {
  assert(signature.size() == 4);
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::unsupported, fmt::format("the extension {} is larger than an index can hold", signature));
  }
  put(signature.data(), signature.size());
  put_be32(static_cast<std::uint32_t>(size));
}

void IndexWriter::put_cache_tree(std::span<const CacheTreeNode> nodes) {
  assert(is_one_whole_tree(nodes));
  std::uint64_t size = 0;
  for (const CacheTreeNode& node : nodes) size += cache_tree_line(node).size();
  put_extension_header("TREE", size);
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
  if (!format_.skip_checksum) checksum_.update(base::as_bytes(buffer_));
  base::write_all(fd_, base::as_bytes(buffer_), path_);
  buffer_.clear();
}

}  // namespace pfetch::checkout
