#include "graph/bit_order.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "base/error.h"

namespace pfetch::graph {

namespace {

class PackOrder final : public BitOrder {
 public:
  PackOrder(store::PackIndex index, store::ReverseIndex by_place)
      : BitOrder(std::move(by_place)), index_(std::move(index)) {}

  object::Oid checksum() const override { return index_.pack_checksum(); }
  std::optional<std::uint32_t> find_position(const object::Oid& id) const override { return index_.find(id); }
  object::Oid id_at_position(std::uint32_t position) const override { return index_.id_at(position); }

 private:
  bool comes_before(std::uint32_t a, std::uint32_t b) const override {
    return index_.offset_at(a) < index_.offset_at(b);
  }

  store::PackIndex index_;
};

class PacksOrder final : public BitOrder {
 public:
  PacksOrder(store::MultiPackIndex index, store::ReverseIndex by_place)
      : BitOrder(std::move(by_place)), index_(std::move(index)) {
    if (count() != 0) preferred_ = index_.place_at(position_of_bit(0)).pack;
  }

  object::Oid checksum() const override { return index_.checksum(); }
  std::optional<std::uint32_t> find_position(const object::Oid& id) const override { return index_.find_position(id); }
  object::Oid id_at_position(std::uint32_t position) const override { return index_.id_at(position); }

 private:
  auto key(std::uint32_t position) const {
    const store::MultiPackIndex::Place place = index_.place_at(position);
    return std::tuple(place.pack != preferred_, place.pack, place.offset);
  }
  bool comes_before(std::uint32_t a, std::uint32_t b) const override { return key(a) < key(b); }

  store::MultiPackIndex index_;
  std::uint32_t preferred_ = 0;  // the pack that comes first
};

}  // namespace

std::unique_ptr<BitOrder> BitOrder::of_pack(const std::string& stem) {
  store::PackIndex index(stem + ".idx");
  auto by_place = store::ReverseIndex::of_pack(index, stem + ".rev");
  return std::make_unique<PackOrder>(std::move(index), std::move(by_place));
}

std::unique_ptr<BitOrder> BitOrder::of_packs(const std::string& path, store::MultiPackIndex index) {
  if (!index.checksum_is_right()) throw Error(ErrorCode::corrupt, "the checksum of the multi-pack-index is wrong");
  auto by_place = store::ReverseIndex::of_packs(index, fmt::format("{}-{}.rev", path, index.checksum().hex()));
  if (!by_place) throw Error(ErrorCode::corrupt, "the multi-pack-index has no sound reverse index");
  return std::make_unique<PacksOrder>(std::move(index), std::move(*by_place));
}

std::uint32_t BitOrder::bit_of_position(std::uint32_t position) const {
  const std::uint32_t bit = bits_.empty() ? search_bit(position) : bits_[position];
  if (bit >= count() || by_place_[bit] != position) {
    throw Error(ErrorCode::corrupt, "a reverse index is not in the order of its pack");
  }
  return bit;
}

// A search looks at some twenty offsets, far from each other; filling the table takes one step for each object.
void BitOrder::prepare(std::size_t questions) {
  constexpr std::size_t objects_per_question_max = 50;
  if (!bits_.empty() || count() / objects_per_question_max >= questions) return;
  std::vector<std::uint32_t> bits(count(), count());
  for (std::uint32_t bit = 0; bit < count(); ++bit) bits[by_place_[bit]] = bit;
  bits_ = std::move(bits);
}

std::uint32_t BitOrder::search_bit(std::uint32_t position) const {
  std::uint32_t low = 0;
  std::uint32_t high = count();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (comes_before(by_place_[middle], position)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace pfetch::graph
