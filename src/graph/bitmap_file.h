// Reachability bitmaps of a pack (`pack-*.bitmap`) or of a multi-pack-index (`multi-pack-index-*.bitmap`), version 1
// (git's technical/bitmap-format): for some commits, all objects that they reach.
//
// A bit stands for one object of the pack, or of the packs; what the bitmaps reach lies in there whole. The file is
// mapped and its checksum verified when it is opened; its bitmaps are inflated when they are asked for. Not to be used
// where history is altered (a shallow file, grafts, replace refs). Safe from any thread, but for `prepare`. After
// opening, ErrorCode::corrupt means that the bitmaps must not be used any more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/bit_order.h"
#include "graph/ewah.h"

namespace pfetch::graph {

class BitmapFile {
 public:
  // Looks in each of the objects directories, as store::Reader gets them, for the bitmap of its multi-pack-index, then
  // for those of its packs; the first that is sound is taken. nullopt when there is none. One that is damaged, or was
  // made for another pack, is passed over, with a sentence in `warnings`.
  static std::optional<BitmapFile> open(std::span<const std::string> objects_directories,
                                        std::vector<std::string>& warnings);

  // Objects; bits are below it.
  std::uint32_t count() const { return order_->count(); }
  // The object's place among the objects by id; nullopt when it is not in there.
  std::optional<std::uint32_t> find(const object::Oid& id) const { return order_->find_position(id); }
  // The bit of the object at that place.
  std::uint32_t bit_of(std::uint32_t place) const { return order_->bit_of_position(place); }
  object::Oid id_at(std::uint32_t bit) const { return order_->id_at_position(order_->position_of_bit(bit)); }
  // Makes bit_of fast when it will be asked that often.
  void prepare(std::size_t questions) { order_->prepare(questions); }

  // Commits that have a bitmap; numbers below go from 0. As git writes them, younger commits come first.
  std::uint32_t stored_count() const { return static_cast<std::uint32_t>(stored_.size()); }
  // That of the commit at that place.
  std::optional<std::uint32_t> stored_of(std::uint32_t place) const;
  enum class Of { objects, commits };
  // The bits of what a commit reaches, itself among it: of all objects, or of the commits alone.
  Roaring reachable(std::uint32_t number, Of of) const;
  // The same by id; nullopt when the commit has no bitmap.
  std::optional<Roaring> reachable_from(const object::Oid& commit, Of of = Of::objects) const;

 private:
  struct Stored {
    std::uint32_t position;      // of the commit in the order of ids
    std::uint32_t xor_distance;  // how many numbers before it the bitmap stands from which this one differs; 0: none
    base::Bytes words;           // compressed
  };
  BitmapFile(const std::string& path, std::unique_ptr<BitOrder> order);
  static std::optional<BitmapFile> open_of_packs(const std::string& multi_pack_index_path);
  void read_types(base::Bytes& rest);
  void read_stored(base::Bytes& rest, std::uint32_t count);

  base::MappedFile file_;
  std::unique_ptr<BitOrder> order_;
  FlatBits commits_;
  std::vector<Stored> stored_;
  std::vector<std::uint32_t> by_position_;  // numbers of stored_, in the order of ids
};

}  // namespace pfetch::graph
