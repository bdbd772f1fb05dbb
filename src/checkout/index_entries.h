// The entries of one file of an index, decoded: gitformat-index, versions 2, 3 and 4.
//
// Pure functions; every byte is untrusted. Errors: ErrorCode::corrupt, ErrorCode::unsupported for what Git may define
// one day (a version above 4, the reserved flags).
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "checkout/index_file.h"
#include "checkout/path_store.h"
#include "object/oid.h"

namespace pfetch::checkout {

struct IndexFileParts {
  std::uint32_t version = 2;
  std::vector<IndexEntry> entries;  // in the file's order, which is not checked; paths are in the store
  base::Bytes extensions;           // what lies between the entries and the checksum
  object::Oid checksum;             // as stored; null when it was left out (index.skipHash)
};

// Checks the header and the checksum, and decodes the entries. Beyond that it bounds the paths of version 4, which can
// stand for far more bytes than the file has: 1 GiB in all.
IndexFileParts decode_index_file(base::Bytes file, PathStore& paths);

// Entries must be in ascending order, each path and stage once, a path either merged or in conflict, and no path may
// leave the worktree or enter a directory `.git`. Sparse directories only with the extension "sdir" (`sparse`).
void check_index_entries(const std::vector<IndexEntry>& entries, bool sparse);

}  // namespace pfetch::checkout
