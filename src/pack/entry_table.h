// What is known of each entry of the arriving pack, by entry number (its place in the pack, from 0).
//
// The table grows in chunks as entries are seen, never to the count that the pack claims. Entries never move. The
// scanner alone appends; other members may be called from any thread for entries that have been handed over to them.
// About 56 bytes per object.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "object/oid.h"
#include "store/entry_header.h"

namespace pfetch::pack {

using EntryNumber = std::uint32_t;
inline constexpr EntryNumber no_entry = UINT32_MAX;

struct Entry {
  std::uint64_t offset = 0;               // of the entry's header in the pack, bytes
  object::Oid id;                         // valid once `resolved`
  std::uint32_t crc = 0;                  // CRC-32 of header and compressed data
  EntryNumber base = no_entry;            // of a delta, once known
  EntryNumber first_waiting = no_entry;   // deltas that wait for this entry; guarded by the resolver
  EntryNumber next_waiting = no_entry;    // sibling in such a list
  std::uint32_t cache_slot = UINT32_MAX;  // guarded by the base cache
  store::EntryType stored{};              // as in the pack
  object::Kind kind{};                    // of the object, valid once `resolved`
  bool streamed = false;                  // over core.bigFileThreshold: never held in memory
  std::atomic<bool> resolved{false};      // published with release order after id and kind
};

class EntryTable {
 public:
  EntryTable() = default;
  EntryTable(const EntryTable&) = delete;
  EntryTable& operator=(const EntryTable&) = delete;

  // Makes room for `entries` in all: the count that the pack claims, later that of a completed thin pack. Takes 8 bytes
  // for each 4,096 entries. Called before other threads use the table, or after they have ended.
  void claim(std::uint64_t entries);

  // Adds an entry whose header is at `offset`.
  EntryNumber append(std::uint64_t offset);
  EntryNumber size() const { return size_.load(std::memory_order_acquire); }
  Entry& operator[](EntryNumber number) { return chunks_[number / chunk_entries][number % chunk_entries]; }
  const Entry& operator[](EntryNumber number) const { return chunks_[number / chunk_entries][number % chunk_entries]; }

  // One past the last byte of entry `number` in the pack.
  std::uint64_t end_of(EntryNumber number) const;
  // The scanner sets where the entry after the last one would begin.
  void set_frontier(std::uint64_t offset) { frontier_.store(offset, std::memory_order_release); }
  // The entry whose header is at `offset`; no_entry when there is none. Scanner only (binary search).
  EntryNumber find_offset(std::uint64_t offset) const;

 private:
  static constexpr std::uint32_t chunk_entries = 4096;

  std::unique_ptr<std::unique_ptr<Entry[]>[]> chunks_;
  std::size_t directory_size_ = 0;
  std::atomic<EntryNumber> size_{0};
  std::atomic<std::uint64_t> frontier_{0};
};

}  // namespace pfetch::pack
