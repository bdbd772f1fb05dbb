#include "graph/bitmap_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "store/chunk_file.h"

namespace pfetch::graph {

namespace {

constexpr std::uint32_t magic = 0x4249544d;  // "BITM"
constexpr std::size_t header_bytes = 12 + object::Oid::raw_size;
constexpr std::uint16_t full_dag = 1;  // all that a bitmap reaches has a bit
constexpr std::uint32_t xor_distance_max = 160;
constexpr std::string_view suffix = ".bitmap";

[[noreturn]] void throw_corrupt(const char* why) {
  throw Error(ErrorCode::corrupt, why);
}

// "…/pack/pack-<checksum>" for each bitmap of a pack, sorted.
std::vector<std::string> pack_stems(const std::string& directory) {
  std::vector<std::string> stems;
  std::vector<std::string> names;
  base::list_names(directory, names);
  for (const std::string& name : names) {
    if (name.starts_with("pack-") && name.ends_with(suffix)) {
      stems.push_back(fmt::format("{}/{}", directory, name.substr(0, name.size() - suffix.size())));
    }
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

}  // namespace

std::optional<BitmapFile> BitmapFile::open(std::span<const std::string> objects_directories,
                                           std::vector<std::string>& warnings) {
  const auto attempt = [&](const std::string& what, const auto& make) -> std::optional<BitmapFile> {
    try {
      return make();
    } catch (const Error& error) {
      warnings.push_back(fmt::format("bitmaps of '{}' are not used: {}", what, error.message()));
      return std::nullopt;
    }
  };
  for (const std::string& directory : objects_directories) {
    const std::string packs = directory + "/pack/multi-pack-index";
    if (base::path_exists(packs)) {
      if (auto bitmaps = attempt(packs, [&] { return open_of_packs(packs); })) return bitmaps;
    }
    for (const std::string& stem : pack_stems(directory + "/pack")) {
      auto bitmaps = attempt(stem + ".pack", [&]() -> std::optional<BitmapFile> {
        return BitmapFile(fmt::format("{}{}", stem, suffix), BitOrder::of_pack(stem));
      });
      if (bitmaps) return bitmaps;
    }
  }
  return std::nullopt;
}

std::optional<BitmapFile> BitmapFile::open_of_packs(const std::string& multi_pack_index_path) {
  store::MultiPackIndex index(multi_pack_index_path);
  const std::string path = fmt::format("{}-{}{}", multi_pack_index_path, index.checksum().hex(), suffix);
  if (!base::path_exists(path)) return std::nullopt;
  return BitmapFile(path, BitOrder::of_packs(multi_pack_index_path, std::move(index)));
}

BitmapFile::BitmapFile(const std::string& path, std::unique_ptr<BitOrder> order)
    : file_(base::open_file(path, O_RDONLY).get(), path), order_(std::move(order)), commits_(order_->count()) {
  const base::Bytes bytes = file_.view();
  if (bytes.size() < header_bytes + object::Oid::raw_size) throw_corrupt("the file is too small");
  if (base::load_be32(bytes.data()) != magic) throw_corrupt("the file has another signature");
  const std::uint16_t version = base::load_be16(bytes.data() + 4);
  if (version != 1) throw Error(ErrorCode::unsupported, fmt::format("version {} is not known", version));
  if ((base::load_be16(bytes.data() + 6) & full_dag) == 0) throw_corrupt("they do not reach all that they should");
  if (object::Oid::from_raw(bytes.data() + 12) != order_->checksum()) throw_corrupt("they were made for another pack");
  if (!store::ends_with_its_checksum(bytes)) throw_corrupt("the checksum is wrong");
  base::Bytes rest = bytes.subspan(header_bytes, bytes.size() - header_bytes - object::Oid::raw_size);
  read_types(rest);
  read_stored(rest, base::load_be32(bytes.data() + 8));
}

// Commits, trees, blobs and tags, each in a bitmap of its own.
void BitmapFile::read_types(base::Bytes& rest) {
  commits_.flip(take_ewah_words(rest));
  for (int other = 0; other < 3; ++other) take_ewah_words(rest);
}

void BitmapFile::read_stored(base::Bytes& rest, std::uint32_t count) {
  for (std::uint32_t number = 0; number < count; ++number) {
    if (rest.size() < 6) throw_corrupt("the file is cut short");
    Stored stored{base::load_be32(rest.data()), static_cast<std::uint8_t>(rest[4]), {}};
    if (stored.position >= this->count()) throw_corrupt("a bitmap's commit has no such position");
    if (stored.xor_distance > std::min(number, xor_distance_max)) throw_corrupt("a bitmap differs from none");
    rest = rest.subspan(6);
    stored.words = take_ewah_words(rest);
    stored_.push_back(stored);
    by_position_.push_back(number);
  }
  std::sort(by_position_.begin(), by_position_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return std::pair(stored_[a].position, a) < std::pair(stored_[b].position, b);
  });
}

std::optional<std::uint32_t> BitmapFile::stored_of(std::uint32_t place) const {
  const auto at = std::lower_bound(
      by_position_.begin(), by_position_.end(), place,
      [this](std::uint32_t number, std::uint32_t wanted) { return stored_[number].position < wanted; });
  if (at == by_position_.end() || stored_[*at].position != place) return std::nullopt;
  return *at;
}

// The order in which differences are applied does not matter, so the chain is followed from its end.
Roaring BitmapFile::reachable(std::uint32_t number, Of of) const {
  FlatBits bits(count());
  for (;;) {
    const Stored& stored = stored_[number];
    bits.flip(stored.words);
    if (stored.xor_distance == 0) break;
    number -= stored.xor_distance;
  }
  if (of == Of::commits) bits.keep(commits_);
  return bits.to_roaring();
}

std::optional<Roaring> BitmapFile::reachable_from(const object::Oid& commit, Of of) const {
  const auto place = find(commit);
  const auto number = place ? stored_of(*place) : std::nullopt;
  if (!number) return std::nullopt;
  return reachable(*number, of);
}

}  // namespace pfetch::graph
