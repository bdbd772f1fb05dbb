// Object id → entry number, filled and asked by many threads.
//
// Open addressing in shards by the id's first byte; a slot is four bytes, since the ids themselves are in the entry
// table. About 8 bytes per object.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "pack/entry_table.h"

namespace pfetch::pack {

class OidMap {
 public:
  explicit OidMap(const EntryTable& table) : table_(table) {}

  // Enters `entry`, whose id must be set in the table. Returns the entry that already has this id, or `entry` itself.
  EntryNumber insert(EntryNumber entry);
  EntryNumber find(const object::Oid& id) const;  // no_entry when absent

 private:
  struct Shard {
    mutable std::mutex mutex;  // guards the two below
    std::vector<EntryNumber> slots;
    std::size_t used = 0;
  };
  // Where `id` is or would be. The shard's slots must not be empty.
  std::size_t place(const Shard& shard, const object::Oid& id) const;
  void grow(Shard& shard) const;

  const EntryTable& table_;
  std::array<Shard, 256> shards_;
};

}  // namespace pfetch::pack
