#include "graph/commit_graph_layer.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "base/error.h"
#include "store/chunk_file.h"
#include "store/idx.h"

namespace pfetch::graph {

namespace {

using store::raw;

constexpr std::uint32_t magic = 0x43475048;  // "CGPH"
constexpr std::size_t header_bytes = 8;
constexpr std::size_t fanout_bytes = 256 * 4;
constexpr std::size_t data_bytes = object::Oid::raw_size + 16;  // tree, two parents, level and date
constexpr std::uint32_t no_parent = 0x70000000;
constexpr std::uint32_t count_max = no_parent;  // positions are below it
constexpr std::uint32_t top_bit = 0x80000000;

}  // namespace

CommitGraphLayer::CommitGraphLayer(const std::string& path)
    : path_(path), file_(base::open_file(path, O_RDONLY).get(), path) {
  open_chunks();
}

void CommitGraphLayer::throw_corrupt(const char* why) const {
  throw Error(ErrorCode::corrupt, fmt::format("commit-graph '{}' is corrupt: {}", path_, why));
}

void CommitGraphLayer::open_chunks() {
  const base::Bytes bytes = file_.view();
  if (bytes.size() < header_bytes + object::Oid::raw_size) throw_corrupt("it is too small");
  const std::uint8_t* const header = raw(bytes);
  if (base::load_be32(header) != magic) throw_corrupt("it has another signature");
  if (header[4] != 1 || header[5] != 1) {
    throw Error(ErrorCode::unsupported,
                fmt::format("commit-graph '{}': version {} with hash {} is not known", path_, header[4], header[5]));
  }
  if (!store::ends_with_its_checksum(bytes)) throw_corrupt("its checksum is wrong");
  const store::ChunkTable chunks(bytes, header_bytes, header[6], [this](const char* why) { throw_corrupt(why); });

  if (chunks["OIDF"].size() != fanout_bytes) throw_corrupt("its fan-out table is missing or of another size");
  fanout_ = raw(chunks["OIDF"]);
  if (!store::fanout_is_monotone(fanout_)) throw_corrupt("its fan-out table is not sorted");
  count_ = base::load_be32(fanout_ + fanout_bytes - 4);
  if (count_ >= count_max) throw_corrupt("it has too many commits");
  if (chunks["OIDL"].size() != count_ * object::Oid::raw_size) throw_corrupt("its ids do not fit its count");
  if (chunks["CDAT"].size() != count_ * data_bytes) throw_corrupt("its commit data do not fit its count");
  ids_ = raw(chunks["OIDL"]);
  if (!store::ids_are_sorted(fanout_, ids_, count_)) throw_corrupt("its ids are not sorted");
  data_ = raw(chunks["CDAT"]);
  if (const base::Bytes offsets = chunks["GDA2"]; !offsets.empty()) {
    if (offsets.size() != count_ * std::size_t{4}) throw_corrupt("its generation data do not fit its count");
    offsets_ = raw(offsets);
    large_offsets_ = chunks["GDO2"];
  }
  edges_ = chunks["EDGE"];

  const base::Bytes bases = chunks["BASE"];
  if (bases.size() != header[7] * object::Oid::raw_size) throw_corrupt("its list of layers does not fit their count");
  for (std::size_t i = 0; i < header[7]; ++i) {
    base_checksums_.push_back(object::Oid::from_raw(bases.data() + i * object::Oid::raw_size));
  }
}

object::Oid CommitGraphLayer::checksum() const {
  const base::Bytes bytes = file_.view();
  return object::Oid::from_raw(bytes.data() + bytes.size() - object::Oid::raw_size);
}

std::optional<std::uint32_t> CommitGraphLayer::find(const object::Oid& id) const {
  return store::find_sorted_id(fanout_, ids_, object::Oid::raw_size, id);
}

object::Oid CommitGraphLayer::id_at(std::uint32_t index) const {
  return object::Oid::from_raw(ids_ + index * object::Oid::raw_size);
}

const std::uint8_t* CommitGraphLayer::data_of(std::uint32_t index) const {
  return data_ + index * data_bytes + object::Oid::raw_size;
}

void CommitGraphLayer::append_parents(std::uint32_t index, std::vector<std::uint32_t>& parents) const {
  const std::uint32_t first = base::load_be32(data_of(index));
  const std::uint32_t second = base::load_be32(data_of(index) + 4);
  if (first == no_parent) return;
  parents.push_back(first);
  if (second == no_parent) return;
  if ((second & top_bit) == 0) {
    parents.push_back(second);
    return;
  }
  for (std::size_t at = second & ~top_bit;; ++at) {
    if (at >= edges_.size() / 4) throw_corrupt("a merge's parents lie outside their table");
    const std::uint32_t edge = base::load_be32(edges_.data() + at * 4);
    parents.push_back(edge & ~top_bit);
    if ((edge & top_bit) != 0) return;
  }
}

std::int64_t CommitGraphLayer::date(std::uint32_t index) const {
  return static_cast<std::int64_t>(base::load_be64(data_of(index) + 8) & 0x3ffffffff);
}

std::uint32_t CommitGraphLayer::topological_level(std::uint32_t index) const {
  return base::load_be32(data_of(index) + 8) >> 2;
}

std::uint64_t CommitGraphLayer::corrected_date(std::uint32_t index) const {
  std::uint64_t offset = base::load_be32(offsets_ + index * std::size_t{4});
  if ((offset & top_bit) != 0) {
    const std::size_t large = offset & ~std::uint64_t{top_bit};
    if (large >= large_offsets_.size() / 8) throw_corrupt("a generation lies outside its table");
    offset = base::load_be64(large_offsets_.data() + large * 8);
    if (offset >> 63 != 0) throw_corrupt("a generation does not fit");
  }
  return static_cast<std::uint64_t>(date(index)) + offset;
}

}  // namespace pfetch::graph
