#include "store/midx.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "base/error.h"
#include "store/chunk_file.h"
#include "store/idx.h"

namespace pfetch::store {

namespace {

constexpr std::size_t header_bytes = 12;
constexpr std::size_t fanout_bytes = 256 * 4;
constexpr std::uint32_t magic = 0x4d494458;  // "MIDX"
constexpr std::uint32_t large_offset_flag = 0x80000000;

}  // namespace

MultiPackIndex::MultiPackIndex(const std::string& path)
    : path_(path), file_(base::open_file(path, O_RDONLY).get(), path) {
  open_chunks();
}

void MultiPackIndex::throw_corrupt(const char* why) const {
  throw Error(
      ErrorCode::corrupt,
      fmt::format("multi-pack-index '{}' is corrupt: {}; 'git multi-pack-index write' makes it anew", path_, why));
}

void MultiPackIndex::open_chunks() {
  const base::Bytes bytes = file_.view();
  if (bytes.size() < header_bytes + object::Oid::raw_size) throw_corrupt("it is too small");
  const std::uint8_t* const header = raw(bytes);
  if (base::load_be32(header) != magic) throw_corrupt("it has another signature");
  if (header[4] != 1 || header[5] != 1) {
    throw Error(ErrorCode::unsupported, fmt::format("multi-pack-index '{}': version {} with hash {} is not known",
                                                    path_, header[4], header[5]));
  }
  const ChunkTable chunks(bytes, header_bytes, header[6], [this](const char* why) { throw_corrupt(why); });
  if (chunks["OIDF"].size() != fanout_bytes) throw_corrupt("its fan-out table is missing or of another size");
  fanout_ = raw(chunks["OIDF"]);
  if (!fanout_is_monotone(fanout_)) throw_corrupt("its fan-out table is not sorted");
  count_ = base::load_be32(fanout_ + fanout_bytes - 4);
  if (chunks["OIDL"].size() != std::size_t{count_} * object::Oid::raw_size)
    throw_corrupt("its ids do not fit its count");
  if (chunks["OOFF"].size() != std::size_t{count_} * 8) throw_corrupt("its offsets do not fit its count");
  ids_ = raw(chunks["OIDL"]);
  places_ = raw(chunks["OOFF"]);
  large_offsets_ = chunks["LOFF"];
  reverse_index_ = chunks["RIDX"];
  read_pack_names(chunks["PNAM"], base::load_be32(header + 8));
}

void MultiPackIndex::read_pack_names(base::Bytes chunk, std::uint32_t pack_count) {
  std::string_view rest = base::as_text(chunk);
  for (std::uint32_t i = 0; i < pack_count; ++i) {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos || end == 0) throw_corrupt("its pack names are cut short");
    const std::string_view name = rest.substr(0, end);
    if (name.find('/') != std::string_view::npos) throw_corrupt("a pack name holds a '/'");
    pack_names_.push_back(name);
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::uint32_t> MultiPackIndex::find_position(const object::Oid& id) const {
  return find_sorted_id(fanout_, ids_, object::Oid::raw_size, id);
}

std::optional<MultiPackIndex::Place> MultiPackIndex::find(const object::Oid& id) const {
  const auto position = find_position(id);
  if (!position) return std::nullopt;
  return place_at(*position);
}

MultiPackIndex::Place MultiPackIndex::place_at(std::uint32_t position) const {
  const std::uint8_t* const entry = places_ + std::size_t{position} * 8;
  Place place{base::load_be32(entry), base::load_be32(entry + 4)};
  if (place.pack >= pack_names_.size()) throw_corrupt("an object is in a pack that it does not name");
  // Without the chunk LOFF all 32 bits are the offset.
  if (!large_offsets_.empty() && (place.offset & large_offset_flag) != 0) {
    const std::size_t large = place.offset & ~std::uint64_t{large_offset_flag};
    if (large >= large_offsets_.size() / 8) throw_corrupt("a 64-bit offset lies outside its table");
    place.offset = base::load_be64(large_offsets_.data() + large * 8);
    if (place.offset >> 63 != 0) throw_corrupt("an offset does not fit");
  }
  return place;
}

object::Oid MultiPackIndex::checksum() const {
  const base::Bytes bytes = file_.view();
  return object::Oid::from_raw(bytes.data() + bytes.size() - object::Oid::raw_size);
}

bool MultiPackIndex::checksum_is_right() const {
  return ends_with_its_checksum(file_.view());
}

}  // namespace pfetch::store
