#include "store/midx.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "base/error.h"
#include "store/idx.h"

namespace pfetch::store {

namespace {

constexpr std::size_t header_bytes = 12;
constexpr std::size_t chunk_entry_bytes = 12;  // id and offset of one chunk
constexpr std::size_t fanout_bytes = 256 * 4;
constexpr std::uint32_t magic = 0x4d494458;  // "MIDX"
constexpr std::uint32_t large_offset_flag = 0x80000000;

constexpr std::uint32_t chunk_id(const char (&name)[5]) {
  std::uint32_t id = 0;
  for (int i = 0; i < 4; ++i) id = id << 8 | static_cast<unsigned char>(name[i]);
  return id;
}

struct Chunks {
  base::Bytes names, fanout, ids, places, large_offsets;
};

const std::uint8_t* raw(base::Bytes bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

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
  const std::size_t chunk_count = header[6];
  const std::size_t data_end = bytes.size() - object::Oid::raw_size;
  if (header_bytes + (chunk_count + 1) * chunk_entry_bytes > data_end) throw_corrupt("its chunk table is cut short");

  Chunks chunks;
  for (std::size_t i = 0; i < chunk_count; ++i) {
    const std::uint8_t* const entry = header + header_bytes + i * chunk_entry_bytes;
    const std::uint64_t begin = base::load_be64(entry + 4);
    const std::uint64_t end = base::load_be64(entry + chunk_entry_bytes + 4);
    if (begin > end || end > data_end) throw_corrupt("a chunk lies outside the file");
    const base::Bytes chunk = bytes.subspan(begin, end - begin);
    switch (base::load_be32(entry)) {
      case chunk_id("PNAM"):
        chunks.names = chunk;
        break;
      case chunk_id("OIDF"):
        chunks.fanout = chunk;
        break;
      case chunk_id("OIDL"):
        chunks.ids = chunk;
        break;
      case chunk_id("OOFF"):
        chunks.places = chunk;
        break;
      case chunk_id("LOFF"):
        chunks.large_offsets = chunk;
        break;
      default:
        break;
    }
  }

  if (chunks.fanout.size() != fanout_bytes) throw_corrupt("its fan-out table is missing or of another size");
  fanout_ = raw(chunks.fanout);
  if (!fanout_is_monotone(fanout_)) throw_corrupt("its fan-out table is not sorted");
  count_ = base::load_be32(fanout_ + fanout_bytes - 4);
  if (chunks.ids.size() != std::size_t{count_} * object::Oid::raw_size) throw_corrupt("its ids do not fit its count");
  if (chunks.places.size() != std::size_t{count_} * 8) throw_corrupt("its offsets do not fit its count");
  ids_ = raw(chunks.ids);
  places_ = raw(chunks.places);
  large_offsets_ = chunks.large_offsets;
  read_pack_names(chunks.names, base::load_be32(header + 8));
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

std::optional<MultiPackIndex::Place> MultiPackIndex::find(const object::Oid& id) const {
  const auto position = find_sorted_id(fanout_, ids_, object::Oid::raw_size, id);
  if (!position) return std::nullopt;
  const std::uint8_t* const entry = places_ + std::size_t{*position} * 8;
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

}  // namespace pfetch::store
