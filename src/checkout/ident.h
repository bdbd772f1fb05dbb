// The keyword `$Id$` of files with the attribute `ident` (gitattributes(5)): in a file it is `$Id: <blob id> $`, in a
// blob `$Id$`.
//
// Pure, thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "object/oid.h"

namespace pfetch::checkout {

// Both return false, and leave `result` unspecified, when there is nothing to replace.

// To the file. An expansion that another version control system wrote is kept. Throws ErrorCode::refused when the
// result would exceed `result_bytes_max`.
bool expand_idents(std::string_view blob, const object::Oid& blob_id, std::string& result,
                   std::uint64_t result_bytes_max);

// To the blob. Whatever stands between `$Id:` and the next `$` of the line goes away.
bool collapse_idents(std::string_view file, std::string& result);

}  // namespace pfetch::checkout
