// Reads `.git/index`: gitformat-index, versions 2 to 4, whole or split, with sparse directories and all extensions.
//
// TREE, REUC, UNTR, FSMN, link and sdir become part of the Index. EOIE and IEOT only help to read with several threads
// and are passed over. Of unknown extensions those that Git calls optional (their first letter is a capital) are
// dropped, as Git does; any other is refused by name. A cache tree or FSMN that is malformed, or does not fit the
// entries, is dropped.
//
// The file is untrusted: sizes, order, paths and the checksum are checked (a checksum of zeros stands for none,
// index.skipHash). Thread safe; the Index belongs to the caller. Errors name the file: ErrorCode::corrupt,
// ErrorCode::unsupported, ErrorCode::io, ErrorCode::not_found for a shared index that is gone.
#pragma once

#include <functional>
#include <string>

#include "base/bytes.h"
#include "checkout/index.h"

namespace pfetch::checkout {

// `path` is where the index is, `git_dir` where its shared index would be. No file: an empty Index.
Index read_index(const std::string& path, const std::string& git_dir);

// The bytes of the shared index that ends with this checksum; they must stay until parse_index returns.
using SharedIndexBytes = std::function<base::Bytes(const object::Oid& checksum)>;
// The same from memory; nothing in the result points into `file`. `Index::file` stays zero.
Index parse_index(base::Bytes file, const SharedIndexBytes& shared);

}  // namespace pfetch::checkout
