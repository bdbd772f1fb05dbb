// Split indexes: an index that holds only what differs from a shared one, `sharedindex.<checksum>` in the git directory
// (gitformat-index, "Split index").
//
// Pure functions over untrusted bytes. Errors: ErrorCode::corrupt.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "checkout/index_file.h"
#include "object/oid.h"

namespace pfetch::checkout {

// The extension "link".
struct SplitIndexLink {
  object::Oid shared;    // the checksum with which the shared index ends; null: there is none
  base::Bytes deleted;   // which entries of the shared index are gone: words of an EWAH bitmap
  base::Bytes replaced;  // which are replaced, in their order, by the first entries of the index that has the link
};
SplitIndexLink parse_split_index_link(base::Bytes content);

// The entries of both: `own` are those of the file with the link, of which the first ones have empty paths because they
// replace shared ones.
std::vector<IndexEntry> merge_split_index(const SplitIndexLink& link, std::vector<IndexEntry> own,
                                          std::vector<IndexEntry> shared);

}  // namespace pfetch::checkout
