// Writes `.git/index`: gitformat-index, versions 2 to 4, with the cache tree and whatever extensions the caller hands
// over. Never a split index, and neither EOIE nor IEOT, which only help git to read with several threads.
//
// Entries are streamed: nothing but one buffer is held. The caller has them in the index's order and knows how many
// there are, the file goes into the caller's `index.lock`, and the caller commits the lock. A writer belongs to one
// thread. Errors: ErrorCode::corrupt for entries that no index may hold (out of order, twice, an empty path: a damaged
// tree gives such), ErrorCode::io when writing fails, ErrorCode::unsupported when a 32-bit count or size would
// overflow.
//
// Racy entries: git distrusts stat data whose mtime is not older than the index file itself, and then reads the
// content. A file written in the same clock tick as the index is therefore checked once more by git, never taken for
// clean.
#pragma once

#include <sys/stat.h>

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/lock_file.h"
#include "base/sha1.h"
#include "object/oid.h"
#include "object/tree_view.h"

namespace pfetch::checkout {

// What git compares to see that a file has not been touched. Each number is cut to 32 bits, as git does.
struct IndexStat {
  std::uint32_t ctime_s = 0;
  std::uint32_t ctime_ns = 0;
  std::uint32_t mtime_s = 0;
  std::uint32_t mtime_ns = 0;
  std::uint32_t dev = 0;
  std::uint32_t ino = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t size = 0;  // bytes

  friend bool operator==(const IndexStat&, const IndexStat&) = default;
};
// From lstat(2), taken after the file was closed.
IndexStat index_stat(const struct stat& from);

struct IndexEntry {
  std::string_view path;   // from the top of the worktree, borrowed
  std::uint32_t mode = 0;  // as in the tree; written canonical. A directory only where is_sparse_directory().
  object::Oid id;
  IndexStat stat;                  // all zero: git will look at the file itself
  std::uint8_t stage = 0;          // 1 to 3: the base, our and their side of a conflict
  bool assume_valid : 1 = false;   // taken for clean without a look
  bool skip_worktree : 1 = false;  // left out of a sparse worktree; needs version 3
  bool intent_to_add : 1 = false;  // "git add -N": the path alone is known; needs version 3
  // The file system monitor has seen no change since its token (the FSMN extension, not part of the stored entry).
  bool fsmonitor_valid : 1 = false;

  bool has_extended_flags() const { return skip_worktree || intent_to_add; }
  // Stands for all that is below a directory outside of a sparse worktree: `id` is a tree, `path` ends in '/', and
  // `skip_worktree` is set. The index then has the extension "sdir".
  bool is_sparse_directory() const { return object::canonical_mode(mode) == object::mode_tree; }
};
// The order of an index: by the bytes of the path, taken as unsigned, then by stage.
std::strong_ordering compare_in_index(const IndexEntry& one, const IndexEntry& other);

// One directory of the cache tree. A whole tree is a flat list in pre-order: a directory, then each of its
// subdirectories with everything below. The first node is the top directory, whose name is empty.
struct CacheTreeNode {
  std::string_view name;         // of this directory alone, borrowed for the call
  std::int64_t entry_count = 0;  // index entries below it, at any depth; -1: not known, `id` is not used
  std::uint32_t subtree_count = 0;
  object::Oid id;  // of the tree
};

struct IndexFormat {
  std::uint32_t version = 2;   // 2 to 4; extended flags need 3 or 4
  bool skip_checksum = false;  // index.skipHash: zeros stand in its place, and git before 2.40 complains in fsck
};

// One extension: four letters, and the bytes of its content. Both borrowed for the call.
struct IndexExtension {
  std::string_view signature;
  std::string_view content;
};

class IndexWriter {
 public:
  // Both must outlive the writer. `fd` stands at the start of an empty file; `path` is named in errors.
  IndexWriter(int fd, std::string path, std::uint64_t entry_count, IndexFormat format = {});
  IndexWriter(base::LockFile& lock, std::uint64_t entry_count, IndexFormat format = {});

  // In the order of compare_in_index.
  void add(const IndexEntry& entry);

  // After exactly `entry_count` entries. An empty list writes no cache tree. Everything is in the file afterwards;
  // syncing and renaming are the caller's.
  void finish(std::span<const CacheTreeNode> cache_tree, std::span<const IndexExtension> extensions = {});

 private:
  void put(const void* bytes, std::size_t size);
  void put_be32(std::uint32_t value);
  void put_path(std::string_view path, std::size_t fixed_bytes);
  void put_extension_header(std::string_view signature, std::uint64_t size);
  void put_cache_tree(std::span<const CacheTreeNode> nodes);
  void flush();

  int fd_;
  std::string path_;
  IndexFormat format_;
  std::uint64_t entries_left_;
  std::string last_entry_path_;
  std::uint8_t last_entry_stage_ = 0;
  std::string buffer_;
  base::PlainSha1 checksum_;
};

}  // namespace pfetch::checkout
