// The objects resolved last, as possible bases of the deltas still to come in an arriving pack (store/base_cache serves
// packs that are stored). An entry is found by its number, without hashing. Least recently used ones go first; the
// budget counts buffers only. Thread safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "pack/entry_table.h"

namespace pfetch::pack {

class RecentObjects {
 public:
  RecentObjects(EntryTable& table, std::uint64_t budget_bytes) : table_(table), budget_(budget_bytes) {}

  // Keeps `bytes` as the content of `entry`. A single object over half the budget is not kept: then false.
  bool put(EntryNumber entry, const base::SharedBytes& bytes);
  // The content, now the most recently used; false when it is not here.
  bool get(EntryNumber entry, base::SharedBytes& bytes);

 private:
  struct Slot {
    EntryNumber entry = no_entry;
    base::SharedBytes bytes;
    std::uint32_t newer = no_slot;
    std::uint32_t older = no_slot;
  };
  static constexpr std::uint32_t no_slot = UINT32_MAX;

  void unlink(std::uint32_t slot);
  void link_newest(std::uint32_t slot);
  base::SharedBytes evict_oldest();

  EntryTable& table_;
  const std::uint64_t budget_;
  std::mutex mutex_;  // guards all below, and Entry::cache_slot
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t newest_ = no_slot;
  std::uint32_t oldest_ = no_slot;
  std::uint64_t used_ = 0;
};

}  // namespace pfetch::pack
