// Delta bases that were inflated lately, shared by all packs and threads of a reader, bounded in bytes.
//
// Keys are a pack (any stable address) and the offset of the entry. The least recently used go first. Buffers are
// shared: one that is dropped here lives on while somebody reads it. Thread safe: one mutex, held for a look-up only.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/bytes.h"
#include "object/object_source.h"

namespace pfetch::store {

class BaseCache {
 public:
  explicit BaseCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  std::optional<object::Object> find(const void* pack, std::uint64_t offset);
  // What is larger than half the budget is not kept.
  void put(const void* pack, std::uint64_t offset, const object::Object& base);
  std::size_t bytes() const;

 private:
  struct Key {
    const void* pack;
    std::uint64_t offset;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return (key.offset ^ reinterpret_cast<std::uintptr_t>(key.pack)) * 0x9e3779b97f4a7c15U;
    }
  };
  struct Entry {
    Key key;
    object::Object base;
  };

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;  // guards all below
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> places_;
  std::size_t bytes_ = 0;
};

}  // namespace pfetch::store
