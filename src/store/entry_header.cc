#include "store/entry_header.h"

#include <fmt/format.h>

#include "base/error.h"

namespace pfetch::store {

namespace {

constexpr std::uint64_t number_max = std::uint64_t{1} << 63;  // numbers stay below it

// The size begins with the low 4 bits of the first byte; each further byte adds 7 bits above. False: more is needed.
bool read_size(base::Bytes bytes, EntryHeader& header) {
  auto byte = std::to_integer<std::uint8_t>(bytes[0]);
  header.size = byte & 0x0fU;
  std::size_t at = 1;
  for (unsigned shift = 4; (byte & 0x80) != 0; shift += 7) {
    if (at >= bytes.size()) return false;
    byte = std::to_integer<std::uint8_t>(bytes[at++]);
    const std::uint64_t part = byte & 0x7fU;
    if (shift >= 63 || (part << shift) >> shift != part || part << shift >= number_max) {
      throw Error(ErrorCode::corrupt, "bad object header: its size does not fit");
    }
    header.size |= part << shift;
  }
  header.header_bytes = at;
  return true;
}

// Most significant part first, and each continuation adds one, so that no number has two spellings.
bool read_distance(base::Bytes bytes, EntryHeader& header) {
  std::size_t at = header.header_bytes;
  std::uint64_t distance = 0;
  for (;;) {
    if (at >= bytes.size()) return false;
    const auto byte = std::to_integer<std::uint8_t>(bytes[at++]);
    if (distance >= number_max >> 7) throw Error(ErrorCode::corrupt, "bad object header: its base offset does not fit");
    distance = distance << 7 | (byte & 0x7fU);
    if ((byte & 0x80) == 0) break;
    ++distance;
  }
  if (distance == 0) throw Error(ErrorCode::corrupt, "bad object header: a delta that is its own base");
  header.base_distance = distance;
  header.header_bytes = at;
  return true;
}

}  // namespace

std::optional<EntryHeader> read_entry_header(base::Bytes at) {
  if (at.empty()) return std::nullopt;
  const unsigned type = std::to_integer<unsigned>(at[0]) >> 4 & 7;
  if (type == 0 || type == 5) {
    throw Error(ErrorCode::corrupt, fmt::format("bad object header: there is no object type {}", type));
  }
  EntryHeader header;
  header.type = static_cast<EntryType>(type);
  if (!read_size(at, header)) return std::nullopt;
  if (header.type == EntryType::ofs_delta) {
    if (!read_distance(at, header)) return std::nullopt;
  } else if (header.type == EntryType::ref_delta) {
    if (at.size() - header.header_bytes < object::Oid::raw_size) return std::nullopt;
    header.base_id = object::Oid::from_raw(at.data() + header.header_bytes);
    header.header_bytes += object::Oid::raw_size;
  }
  return header;
}

}  // namespace pfetch::store
