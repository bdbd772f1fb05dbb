// `working-tree-encoding` (gitattributes(5)): text that is stored as UTF-8 is a file in another encoding.
//
// The names are those of the C library's iconv(3), whose tables do the work, with three that git adds: UTF-16LE-BOM and
// UTF-16BE-BOM (a byte order mark is written, which plain UTF-16LE and UTF-16BE do not have) and latin-1. UTF-16 and
// UTF-32 get a mark and this machine's byte order; what is read in one of these four may have either order. Of an
// encoding with shift states (ISO-2022-JP) the end is left as it is, as git does.
//
// Pure, thread safe. Input and result are in memory at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pfetch::checkout {

// True for the names of UTF-8, for which there is nothing to do.
bool is_utf8_name(std::string_view encoding);

// Returns false when the encoding is not known, or when `text` is no UTF-8 or cannot be said in it; `result` is then
// unspecified. Throws ErrorCode::refused when the result would exceed `result_bytes_max`.
bool encode_from_utf8(std::string_view text, const std::string& encoding, std::string& result,
                      std::uint64_t result_bytes_max);

// The way back. Returns false when the encoding is not known, or when `file` is not in it; `result` is then
// unspecified. Throws ErrorCode::refused when the result would exceed `result_bytes_max`.
bool decode_to_utf8(std::string_view file, const std::string& encoding, std::string& result,
                    std::uint64_t result_bytes_max);

// What git demands of a file's byte order mark: UTF-16 and UTF-32 need one, their LE and BE must have none.
enum class ByteOrderMark : std::uint8_t { right, missing, prohibited };
ByteOrderMark check_byte_order_mark(std::string_view file, std::string_view encoding);

}  // namespace pfetch::checkout
