#include "store/idx.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace pfetch::store {

namespace {

constexpr std::size_t fanout_bytes = 256 * 4;
constexpr std::size_t trailer_bytes = 2 * object::Oid::raw_size;  // checksums of the pack and of the index
constexpr std::uint32_t magic = 0xff744f63;                       // "\377tOc"; no version 1 can begin with it
constexpr std::uint32_t large_offset_flag = 0x80000000;

}  // namespace

bool fanout_is_monotone(const std::uint8_t* fanout) {
  std::uint32_t before = 0;
  for (int i = 0; i < 256; ++i) {
    const std::uint32_t now = base::load_be32(fanout + 4 * i);
    if (now < before) return false;
    before = now;
  }
  return true;
}

bool ids_are_sorted(const std::uint8_t* fanout, const std::uint8_t* ids, std::uint32_t count) {
  std::uint32_t position = 0;
  for (int first = 0; first < 256; ++first) {
    const std::uint32_t end = base::load_be32(fanout + 4 * first);
    if (end > count) return false;
    for (; position < end; ++position) {
      const std::uint8_t* const id = ids + std::size_t{position} * object::Oid::raw_size;
      if (id[0] != first) return false;
      if (position != 0 && std::memcmp(id - object::Oid::raw_size, id, object::Oid::raw_size) >= 0) return false;
    }
  }
  return position == count;
}

std::optional<std::uint32_t> find_sorted_id(const std::uint8_t* fanout, const std::uint8_t* ids, std::size_t step,
                                            const object::Oid& id) {
  const unsigned first = id.raw[0];
  std::uint32_t low = first == 0 ? 0 : base::load_be32(fanout + 4 * (first - 1));
  std::uint32_t high = base::load_be32(fanout + 4 * first);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const int order = std::memcmp(ids + middle * step, id.raw.data(), object::Oid::raw_size);
    if (order == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

void find_sorted_prefix(const SortedIds& table, const object::OidPrefix& prefix, std::size_t limit,
                        std::vector<object::Oid>& into) {
  const unsigned first = prefix.first.raw[0];
  std::uint32_t low = first == 0 ? 0 : base::load_be32(table.fanout + 4 * (first - 1));
  std::uint32_t high = base::load_be32(table.fanout + fanout_bytes - 4);
  const std::uint32_t count = high;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (std::memcmp(table.ids + middle * table.step, prefix.first.raw.data(), object::Oid::raw_size) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < count && limit > 0; ++low, --limit) {
    const object::Oid id = object::Oid::from_raw(table.ids + low * table.step);
    if (!prefix.matches(id)) return;
    into.push_back(id);
  }
}

PackIndex::PackIndex(const std::string& path) : path_(path), file_(base::open_file(path, O_RDONLY).get(), path) {
  const base::Bytes bytes = file_.view();
  if (bytes.size() < fanout_bytes + trailer_bytes) throw_corrupt("it is too small");
  if (base::load_be32(bytes.data()) == magic) {
    open_version_2();
  } else {
    open_version_1();
  }
}

void PackIndex::open_version_1() {
  version_ = 1;
  const base::Bytes bytes = file_.view();
  fanout_ = reinterpret_cast<const std::uint8_t*>(bytes.data());
  check_fanout();
  count_ = base::load_be32(fanout_ + fanout_bytes - 4);
  id_step_ = 4 + object::Oid::raw_size;
  if (bytes.size() != fanout_bytes + std::size_t{count_} * id_step_ + trailer_bytes) {
    throw_corrupt("its size does not fit its object count");
  }
  ids_ = fanout_ + fanout_bytes + 4;
}

void PackIndex::open_version_2() {
  const base::Bytes bytes = file_.view();
  constexpr std::size_t header_bytes = 8;
  const std::uint32_t version = base::load_be32(bytes.data() + 4);
  if (version != 2) throw_corrupt(fmt::format("version {} is not known", version).c_str());
  version_ = 2;
  if (bytes.size() < header_bytes + fanout_bytes + trailer_bytes) throw_corrupt("it is too small");
  fanout_ = reinterpret_cast<const std::uint8_t*>(bytes.data()) + header_bytes;
  check_fanout();
  count_ = base::load_be32(fanout_ + fanout_bytes - 4);
  const std::size_t count = count_;
  const std::size_t least = header_bytes + fanout_bytes + count * (object::Oid::raw_size + 8) + trailer_bytes;
  // Any entry may have a 64-bit offset, not just those beyond 2 GiB: 'git index-pack --index-version=2,0' does so.
  if (bytes.size() < least || (bytes.size() - least) % 8 != 0 || (bytes.size() - least) / 8 > count) {
    throw_corrupt("its size does not fit its object count");
  }
  large_count_ = static_cast<std::uint32_t>((bytes.size() - least) / 8);
  ids_ = fanout_ + fanout_bytes;
  crcs_ = ids_ + count * object::Oid::raw_size;
  offsets_ = crcs_ + count * 4;
  large_offsets_ = offsets_ + count * 4;
}

void PackIndex::check_fanout() const {
  if (!fanout_is_monotone(fanout_)) throw_corrupt("its fan-out table is not sorted");
}

void PackIndex::throw_corrupt(const char* why) const {
  throw Error(ErrorCode::corrupt,
              fmt::format("pack index '{}' is corrupt: {}; 'git index-pack' on its pack makes it anew", path_, why));
}

std::optional<std::uint32_t> PackIndex::find(const object::Oid& id) const {
  return find_sorted_id(fanout_, ids_, id_step_, id);
}

std::uint64_t PackIndex::offset_at(std::uint32_t position) const {
  if (version_ == 1) return base::load_be32(ids_ + std::size_t{position} * id_step_ - 4);
  const std::uint32_t offset = base::load_be32(offsets_ + std::size_t{position} * 4);
  if ((offset & large_offset_flag) == 0) return offset;
  const std::uint32_t large = offset & ~large_offset_flag;
  if (large >= large_count_) throw_corrupt("a 64-bit offset lies outside its table");
  const std::uint64_t value = base::load_be64(large_offsets_ + std::size_t{large} * 8);
  if (value >> 63 != 0) throw_corrupt("an offset does not fit");
  return value;
}

std::optional<std::uint32_t> PackIndex::crc_at(std::uint32_t position) const {
  if (version_ == 1) return std::nullopt;
  return base::load_be32(crcs_ + std::size_t{position} * 4);
}

object::Oid PackIndex::pack_checksum() const {
  const base::Bytes bytes = file_.view();
  return object::Oid::from_raw(bytes.data() + bytes.size() - trailer_bytes);
}

}  // namespace pfetch::store
