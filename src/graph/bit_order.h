// Which object each bit of a reachability bitmap stands for: the order of objects in a pack, or in all packs of a
// multi-pack-index (git's technical/bitmap-format).
//
// Safe from any thread, but for `prepare`. Throws ErrorCode::corrupt when an index or a reverse index turns out to be
// damaged.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "object/oid.h"
#include "store/idx.h"
#include "store/midx.h"
#include "store/rev.h"

namespace pfetch::graph {

class BitOrder {
 public:
  // `stem` is the path of a pack without ".pack". Throws when its index is not there.
  static std::unique_ptr<BitOrder> of_pack(const std::string& stem);
  // `path` is that of `index`. Reads all of it to verify its checksum. Throws when it has no sound reverse index.
  static std::unique_ptr<BitOrder> of_packs(const std::string& path, store::MultiPackIndex index);

  virtual ~BitOrder() = default;
  // The checksum that a bitmap made for this order names.
  virtual object::Oid checksum() const = 0;
  // Positions in the order of ids.
  virtual std::optional<std::uint32_t> find_position(const object::Oid& id) const = 0;
  virtual object::Oid id_at_position(std::uint32_t position) const = 0;

  std::uint32_t count() const { return by_place_.count(); }
  std::uint32_t position_of_bit(std::uint32_t bit) const { return by_place_[bit]; }
  std::uint32_t bit_of_position(std::uint32_t position) const;
  // Makes bit_of_position fast for that many questions, if they are worth 4 bytes an object.
  void prepare(std::size_t questions);

 protected:
  explicit BitOrder(store::ReverseIndex by_place) : by_place_(std::move(by_place)) {}
  // Whether the object at position `a` comes before the one at `b`.
  virtual bool comes_before(std::uint32_t a, std::uint32_t b) const = 0;

 private:
  std::uint32_t search_bit(std::uint32_t position) const;

  store::ReverseIndex by_place_;
  std::vector<std::uint32_t> bits_;  // by position; empty unless prepared
};

}  // namespace pfetch::graph
