#include "pack/recent_objects.h"

namespace pfetch::pack {

void RecentObjects::unlink(std::uint32_t slot) {
  const Slot& s = slots_[slot];
  (s.newer == no_slot ? newest_ : slots_[s.newer].older) = s.older;
  (s.older == no_slot ? oldest_ : slots_[s.older].newer) = s.newer;
}

void RecentObjects::link_newest(std::uint32_t slot) {
  slots_[slot].newer = no_slot;
  slots_[slot].older = newest_;
  (newest_ == no_slot ? oldest_ : slots_[newest_].newer) = slot;
  newest_ = slot;
}

base::SharedBytes RecentObjects::evict_oldest() {
  const std::uint32_t slot = oldest_;
  unlink(slot);
  table_[slots_[slot].entry].cache_slot = no_slot;
  used_ -= slots_[slot].bytes.size();
  free_.push_back(slot);
  return std::move(slots_[slot].bytes);
}

bool RecentObjects::put(EntryNumber entry, const base::SharedBytes& bytes) {
  if (bytes.size() > budget_ / 2) return false;
  std::vector<base::SharedBytes> evicted;  // freed after the lock is given back
  const std::lock_guard lock(mutex_);
  if (table_[entry].cache_slot != no_slot) return true;
  while (used_ + bytes.size() > budget_ && oldest_ != no_slot) evicted.push_back(evict_oldest());
  std::uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].entry = entry;
  slots_[slot].bytes = bytes;
  link_newest(slot);
  table_[entry].cache_slot = slot;
  used_ += bytes.size();
  return true;
}

bool RecentObjects::get(EntryNumber entry, base::SharedBytes& bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t slot = table_[entry].cache_slot;
  if (slot == no_slot) return false;
  unlink(slot);
  link_newest(slot);
  bytes = slots_[slot].bytes;
  return true;
}

}  // namespace pfetch::pack
