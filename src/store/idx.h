// A pack index, version 1 or 2 (gitformat-pack, "Original (version 1)" and "Version 2 pack-*.idx files"): from an
// object's id to its offset in the pack.
//
// The file is mapped; ids and offsets are read from the map. The layout (size, version, fan-out) is checked once, when
// the file is opened, so that a lookup cannot reach outside; the checksum over the file is not computed. Immutable
// after construction, safe from any thread. Throws ErrorCode::corrupt naming the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "object/oid.h"
#include "object/oid_prefix.h"

namespace pfetch::store {

// Sorted ids of a pack index or multi-pack-index as they stand in the file, `step` bytes apart, under a fan-out that
// was checked to be monotone and to end at their count.
struct SortedIds {
  const std::uint8_t* fanout;
  const std::uint8_t* ids;
  std::size_t step;  // bytes
};

// Adds those that begin so, ascending, but no more than `limit`.
void find_sorted_prefix(const SortedIds& table, const object::OidPrefix& prefix, std::size_t limit,
                        std::vector<object::Oid>& into);

class PackIndex {
 public:
  // Maps the file; ErrorCode::not_found when it is not there.
  explicit PackIndex(const std::string& path);

  const std::string& path() const { return path_; }
  int version() const { return version_; }
  // Objects. Positions below go from 0 to count() - 1, in the order of ids.
  std::uint32_t count() const { return count_; }

  std::optional<std::uint32_t> find(const object::Oid& id) const;
  object::Oid id_at(std::uint32_t position) const { return object::Oid::from_raw(ids_ + position * id_step_); }
  // Adds the ids that begin so, ascending, but no more than `limit` of them.
  void find_prefix(const object::OidPrefix& prefix, std::size_t limit, std::vector<object::Oid>& into) const {
    find_sorted_prefix({fanout_, ids_, id_step_}, prefix, limit, into);
  }
  // Byte offset of the entry in the pack; throws when a 64-bit offset points outside its table or is beyond 63 bits.
  std::uint64_t offset_at(std::uint32_t position) const;
  // CRC-32 of the entry as stored; version 1 has none.
  std::optional<std::uint32_t> crc_at(std::uint32_t position) const;
  // The checksum with which the pack ends.
  object::Oid pack_checksum() const;

 private:
  void open_version_1();
  void open_version_2();
  void check_fanout() const;
  [[noreturn]] void throw_corrupt(const char* why) const;

  std::string path_;
  base::MappedFile file_;
  int version_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t large_count_ = 0;                // 64-bit offsets
  const std::uint8_t* fanout_ = nullptr;         // 256 × 4 bytes
  const std::uint8_t* ids_ = nullptr;            // the first id; the next is id_step_ bytes on
  std::size_t id_step_ = object::Oid::raw_size;  // bytes
  const std::uint8_t* crcs_ = nullptr;           // version 2
  const std::uint8_t* offsets_ = nullptr;        // version 2
  const std::uint8_t* large_offsets_ = nullptr;  // version 2
};

// Binary search in `count` sorted ids, `step` bytes apart, between the fan-out's bounds for the id's first byte. Shared
// with the multi-pack-index; `fanout` was checked to be monotone and to end at the table's count.
std::optional<std::uint32_t> find_sorted_id(const std::uint8_t* fanout, const std::uint8_t* ids, std::size_t step,
                                            const object::Oid& id);

// Whether `count` ids, one right after the other, go up strictly, and the fan-out's counts are theirs.
bool ids_are_sorted(const std::uint8_t* fanout, const std::uint8_t* ids, std::uint32_t count);

// Whether the 256 big-endian counts at `fanout` never fall.
bool fanout_is_monotone(const std::uint8_t* fanout);

}  // namespace pfetch::store
