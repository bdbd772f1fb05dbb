#include "pack/oid_map.h"

#include <cstring>

namespace pfetch::pack {

std::size_t OidMap::place(const Shard& shard, const object::Oid& id) const {
  std::uint32_t hash;
  std::memcpy(&hash, id.raw.data() + 1, sizeof hash);  // the first byte chose the shard
  const std::size_t mask = shard.slots.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const EntryNumber entry = shard.slots[at];
    if (entry == no_entry || table_[entry].id == id) return at;
  }
}

void OidMap::grow(Shard& shard) const {
  std::vector<EntryNumber> old(shard.slots.empty() ? 16 : shard.slots.size() * 2, no_entry);
  old.swap(shard.slots);
  for (const EntryNumber entry : old) {
    if (entry != no_entry) shard.slots[place(shard, table_[entry].id)] = entry;
  }
}

EntryNumber OidMap::insert(EntryNumber entry) {
  const object::Oid& id = table_[entry].id;
  Shard& shard = shards_[id.raw[0]];
  const std::lock_guard lock(shard.mutex);
  if ((shard.used + 1) * 4 > shard.slots.size() * 3) grow(shard);
  EntryNumber& slot = shard.slots[place(shard, id)];
  if (slot != no_entry) return slot;
  slot = entry;
  ++shard.used;
  return entry;
}

EntryNumber OidMap::find(const object::Oid& id) const {
  const Shard& shard = shards_[id.raw[0]];
  const std::lock_guard lock(shard.mutex);
  return shard.slots.empty() ? no_entry : shard.slots[place(shard, id)];
}

}  // namespace pfetch::pack
