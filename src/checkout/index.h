// `.git/index` in memory: read by checkout/index_reader, changed by its owner, written by `write_index`.
//
// A plain value for one thread at a time; it may be moved, and what its views point to stays where it is. About 80
// bytes for each entry and its path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock_file.h"
#include "checkout/index_extensions.h"
#include "checkout/index_file.h"
#include "checkout/path_store.h"
#include "object/oid.h"

namespace pfetch::checkout {

struct Index {
  std::uint32_t version = 0;        // of the file, 2 to 4; 0: there is no file, and the settings choose
  std::vector<IndexEntry> entries;  // in the order of compare_in_index; paths borrowed from `paths`, or from elsewhere
  // Fits the entries when it was just read; see checkout/cache_tree. Names borrowed as paths are. Empty: there is none.
  std::vector<CacheTreeNode> cache_tree;
  std::string resolve_undo;                    // REUC as stored: conflicts before they were resolved; empty: none
  std::string untracked_cache;                 // UNTR as stored; empty: none
  std::optional<FileSystemMonitor> fsmonitor;  // FSMN; its bits are in the entries
  bool sparse = false;                         // "sdir": entries may be sparse directories
  std::optional<object::Oid> shared_index;     // it was split; it is written whole
  // Of the file when it was read, all zero when there was none. checkout/racy compares entries with its mtime.
  IndexStat file;
  PathStore paths;

  // The first entry of a path, whatever its stage; nullptr when there is none.
  const IndexEntry* find(std::string_view path) const;
};

// Writes the whole index into its lock; the caller commits it. Version 4 stays version 4; otherwise it is 3 when an
// entry needs that, and 2 if not. `new_version` counts when the index has none (checkout/index_settings).
//
// The new file is younger than the one that was read. An entry that was racily clean (checkout/racy) would pass for
// clean from now on: the caller compares the content of such files first, and smudges those that differ.
void write_index(base::LockFile& lock, const Index& index, std::uint32_t new_version, bool skip_checksum);

}  // namespace pfetch::checkout
