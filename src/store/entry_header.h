// The header of one entry of a pack (gitformat-pack, "pack-*.pack files have the following format"): a type and the
// inflated size, then for a delta where its base is. The zlib stream follows.
//
// Used on stored packs and on packs that are still arriving. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "object/oid.h"

namespace pfetch::store {

// The numbers are those of the format; the first four are also those of object::Kind.
enum class EntryType : std::uint8_t { commit = 1, tree = 2, blob = 3, tag = 4, ofs_delta = 6, ref_delta = 7 };

constexpr bool is_delta(EntryType type) {
  return type == EntryType::ofs_delta || type == EntryType::ref_delta;
}

struct EntryHeader {
  EntryType type{};
  std::uint64_t size = 0;           // bytes the stream inflates to: of the object, or of the delta; fits 63 bits
  std::uint64_t base_distance = 0;  // ofs_delta: the base begins this many bytes before this entry; never 0
  object::Oid base_id;              // ref_delta
  std::size_t header_bytes = 0;     // where the stream begins, from the entry's first byte
};

// No header is longer than this.
inline constexpr std::size_t entry_header_bytes_max = 10 + object::Oid::raw_size;

// Reads the header at the front of `at`. nullopt when it may be right but more bytes are needed to tell; throws
// ErrorCode::corrupt when it can never be right: a type that does not exist, a size or a distance beyond 63 bits, a
// distance of 0. Whether a base offset lies inside the pack is for the caller, who knows where the entry is.
std::optional<EntryHeader> read_entry_header(base::Bytes at);

}  // namespace pfetch::store
