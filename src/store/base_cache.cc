#include "store/base_cache.h"

namespace pfetch::store {

namespace {
// What an entry costs beside its buffer: list and map nodes, the buffer's reference count. Counted so that a cache full
// of tiny objects keeps to its budget too.
constexpr std::size_t entry_overhead_bytes = 192;
}  // namespace

std::optional<object::Object> BaseCache::find(const void* pack, std::uint64_t offset) {
  const std::scoped_lock lock(mutex_);
  const auto place = places_.find(Key{pack, offset});
  if (place == places_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->base;
}

void BaseCache::put(const void* pack, std::uint64_t offset, const object::Object& base) {
  const std::size_t cost = base.bytes.size() + entry_overhead_bytes;
  if (cost > bytes_max_ / 2) return;
  std::list<Entry> dropped;  // freed after the lock is let go
  const std::scoped_lock lock(mutex_);
  const Key key{pack, offset};
  if (const auto place = places_.find(key); place != places_.end()) {
    entries_.splice(entries_.begin(), entries_, place->second);
    return;
  }
  while (bytes_ + cost > bytes_max_ && !entries_.empty()) {
    bytes_ -= entries_.back().base.bytes.size() + entry_overhead_bytes;
    places_.erase(entries_.back().key);
    dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
  }
  entries_.push_front(Entry{key, base});
  places_.emplace(key, entries_.begin());
  bytes_ += cost;
}

std::size_t BaseCache::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace pfetch::store
