// A multi-pack-index, version 1 (gitformat-pack, "multi-pack-index (MIDX) files"): from an object's id to a pack and an
// offset in it, over all packs it covers.
//
// The chunks PNAM, OIDF, OIDL, OOFF, LOFF and RIDX are read; others are passed over. The file is mapped; its layout is
// checked once, when it is opened, so that a lookup cannot reach outside; the checksum over the file is computed only
// when asked for. Immutable after construction, safe from any thread. Throws ErrorCode::corrupt naming the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "object/oid.h"
#include "store/idx.h"

namespace pfetch::store {

class MultiPackIndex {
 public:
  struct Place {
    std::uint32_t pack = 0;    // index into pack_names()
    std::uint64_t offset = 0;  // bytes
  };

  // Maps the file; ErrorCode::not_found when it is not there, ErrorCode::unsupported for ids that are not SHA-1 or
  // another version.
  explicit MultiPackIndex(const std::string& path);

  std::uint32_t count() const { return count_; }
  // Without directory, ending in ".idx" as the file has them; no name holds a '/'. Views into the map.
  const std::vector<std::string_view>& pack_names() const { return pack_names_; }
  std::optional<Place> find(const object::Oid& id) const;

  // Positions go from 0 to count() - 1, in the order of ids.
  std::optional<std::uint32_t> find_position(const object::Oid& id) const;
  object::Oid id_at(std::uint32_t position) const {
    return object::Oid::from_raw(ids_ + std::size_t{position} * object::Oid::raw_size);
  }
  Place place_at(std::uint32_t position) const;
  // As PackIndex::find_prefix.
  void find_prefix(const object::OidPrefix& prefix, std::size_t limit, std::vector<object::Oid>& into) const {
    find_sorted_prefix({fanout_, ids_, object::Oid::raw_size}, prefix, limit, into);
  }

  // The chunk RIDX as it stands, which lists positions in the order of packs; empty when absent.
  base::Bytes reverse_index() const { return reverse_index_; }
  // With which the file ends; `checksum_is_right` reads the whole file to see whether it is that of what stands before.
  object::Oid checksum() const;
  bool checksum_is_right() const;

 private:
  void open_chunks();
  void read_pack_names(base::Bytes chunk, std::uint32_t pack_count);
  [[noreturn]] void throw_corrupt(const char* why) const;

  std::string path_;
  base::MappedFile file_;
  std::vector<std::string_view> pack_names_;
  std::uint32_t count_ = 0;
  const std::uint8_t* fanout_ = nullptr;  // OIDF
  const std::uint8_t* ids_ = nullptr;     // OIDL
  const std::uint8_t* places_ = nullptr;  // OOFF: pack and offset, 4 bytes each
  base::Bytes large_offsets_;             // LOFF; empty when absent
  base::Bytes reverse_index_;             // RIDX
};

}  // namespace pfetch::store
