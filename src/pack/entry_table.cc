#include "pack/entry_table.h"

#include <cassert>

namespace pfetch::pack {

void EntryTable::claim(std::uint64_t entries) {
  const auto wanted = static_cast<std::size_t>((entries + chunk_entries - 1) / chunk_entries);
  auto larger = std::make_unique<std::unique_ptr<Entry[]>[]>(wanted);
  for (std::size_t i = 0; i < directory_size_; ++i) larger[i] = std::move(chunks_[i]);
  chunks_ = std::move(larger);
  directory_size_ = wanted;
}

EntryNumber EntryTable::append(std::uint64_t offset) {
  const EntryNumber number = size_.load(std::memory_order_relaxed);
  auto& chunk = chunks_[number / chunk_entries];
  if (!chunk) chunk = std::make_unique<Entry[]>(chunk_entries);
  chunk[number % chunk_entries].offset = offset;
  size_.store(number + 1, std::memory_order_release);
  return number;
}

std::uint64_t EntryTable::end_of(EntryNumber number) const {
  // The frontier is read first: if `number` is the last entry by the count read afterwards, it is still valid.
  const std::uint64_t frontier = frontier_.load(std::memory_order_acquire);
  return number + 1 < size() ? (*this)[number + 1].offset : frontier;
}

EntryNumber EntryTable::find_offset(std::uint64_t offset) const {
  EntryNumber low = 0;
  EntryNumber high = size();
  while (low < high) {
    const EntryNumber middle = low + (high - low) / 2;
    const std::uint64_t at = (*this)[middle].offset;
    if (at == offset) return middle;
    if (at < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return no_entry;
}

}  // namespace pfetch::pack
