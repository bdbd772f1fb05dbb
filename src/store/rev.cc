#include "store/rev.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "store/chunk_file.h"

namespace pfetch::store {

namespace {

constexpr std::size_t header_bytes = 12;     // signature, version, hash
constexpr std::uint32_t magic = 0x52494458;  // "RIDX"

}  // namespace

// nullopt when it is absent, of another version, damaged, or made for something else than what ends with
// `index_checksum`.
std::optional<ReverseIndex> ReverseIndex::open(const std::string& path, std::uint32_t count,
                                               const object::Oid& index_checksum) {
  const base::UniqueFd fd = base::open_if_there(path, O_RDONLY);
  if (!fd) return std::nullopt;
  ReverseIndex index;
  index.count_ = count;
  index.file_ = base::MappedFile(fd.get(), path);
  const base::Bytes bytes = index.file_.view();
  const std::size_t entries_bytes = std::size_t{count} * 4;
  if (bytes.size() != header_bytes + entries_bytes + 2 * object::Oid::raw_size) return std::nullopt;
  if (base::load_be32(bytes.data()) != magic || base::load_be32(bytes.data() + 4) != 1 ||
      base::load_be32(bytes.data() + 8) != 1) {
    return std::nullopt;
  }
  if (object::Oid::from_raw(bytes.data() + header_bytes + entries_bytes) != index_checksum) return std::nullopt;
  if (!ends_with_its_checksum(bytes)) return std::nullopt;
  index.stored_ = bytes.subspan(header_bytes, entries_bytes);
  return index;
}

ReverseIndex ReverseIndex::of_pack(const PackIndex& index, const std::string& rev_path) {
  if (auto stored = open(rev_path, index.count(), index.pack_checksum())) return std::move(*stored);
  ReverseIndex made;
  made.count_ = index.count();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_offset;
  by_offset.reserve(index.count());
  for (std::uint32_t i = 0; i < index.count(); ++i) by_offset.emplace_back(index.offset_at(i), i);
  std::sort(by_offset.begin(), by_offset.end());
  made.sorted_.reserve(index.count());
  for (const auto& [offset, position] : by_offset) made.sorted_.push_back(position);
  return made;
}

std::optional<ReverseIndex> ReverseIndex::of_packs(const MultiPackIndex& index, const std::string& rev_path) {
  const base::Bytes chunk = index.reverse_index();
  if (chunk.empty()) return open(rev_path, index.count(), index.checksum());
  if (chunk.size() != std::size_t{index.count()} * 4) return std::nullopt;
  ReverseIndex stored;
  stored.count_ = index.count();
  stored.stored_ = chunk;
  return stored;
}

std::uint32_t ReverseIndex::operator[](std::uint32_t place) const {
  const std::uint32_t position =
      stored_.empty() ? sorted_[place] : base::load_be32(stored_.data() + std::size_t{place} * 4);
  if (position >= count_) throw Error(ErrorCode::corrupt, "a reverse index points outside its index");
  return position;
}

}  // namespace pfetch::store
