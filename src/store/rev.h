// Reverse indexes: from an object's place in the order of a pack to its position in the order of ids (gitformat-pack,
// "pack-*.rev files").
//
// Read from a file, or made anew by sorting. Immutable, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "store/idx.h"
#include "store/midx.h"

namespace pfetch::store {

class ReverseIndex {
 public:
  // That of a pack. From `rev_path` if it is there and sound, checksum and all; else sorted, which takes 4 bytes for
  // each object and longer. Throws what PackIndex::offset_at throws.
  static ReverseIndex of_pack(const PackIndex& index, const std::string& rev_path);
  // That of all packs of a multi-pack-index: the preferred pack first, then the others in its order. From its chunk
  // RIDX, or else from `rev_path`; nullopt when there is neither, or the one there is damaged. The checksum of the
  // multi-pack-index is the caller's to verify.
  static std::optional<ReverseIndex> of_packs(const MultiPackIndex& index, const std::string& rev_path);

  std::uint32_t count() const { return count_; }
  // Throws ErrorCode::corrupt when the index has no such position.
  std::uint32_t operator[](std::uint32_t place) const;

 private:
  ReverseIndex() = default;
  static std::optional<ReverseIndex> open(const std::string& path, std::uint32_t count,
                                          const object::Oid& index_checksum);

  std::uint32_t count_ = 0;
  base::MappedFile file_;
  base::Bytes stored_;                 // big-endian, 4 bytes each; empty when sorted
  std::vector<std::uint32_t> sorted_;  // what was sorted
};

}  // namespace pfetch::store
