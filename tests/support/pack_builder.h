// Packs made in memory, sound or broken in any way a test asks for (gitformat-pack).
//
// `PackBuilder` writes one entry after another and lies wherever it is told to. `lay_out` makes a sound pack of given
// objects in any order: a delta refers to its base by distance where the base came before, and by id where it did not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/oid.h"
#include "store/entry_header.h"

namespace pfetch::test {

// The id of an object, by its definition.
object::Oid object_id(object::Kind kind, std::string_view content);

std::string deflated(std::string_view content, int level = 6);

// A size as deltas have it: seven bits a byte, least significant first.
std::string delta_size(std::uint64_t size);
std::string copy_instruction(std::uint32_t offset, std::uint32_t size);
// Copies what `target` has in common with `base` at both ends, and inserts the rest.
std::string make_delta(std::string_view base, std::string_view target);

class PackBuilder {
 public:
  PackBuilder();

  // Each returns the offset of the entry.
  std::uint64_t whole(object::Kind kind, std::string_view content);
  std::uint64_t ofs_delta(std::uint64_t base_offset, std::string_view delta);
  std::uint64_t ref_delta(const object::Oid& base, std::string_view delta);
  // An entry as it is not: any type number, any size, any bytes between the header and the stream, any stream.
  std::uint64_t raw(unsigned type, std::uint64_t claimed_size, std::string_view between, std::string_view stream);

  std::uint64_t end() const { return bytes_.size(); }
  std::uint32_t count() const { return count_; }
  // The pack with its checksum. `claimed` objects in the header instead of the true count.
  std::string finish(std::optional<std::uint32_t> claimed = std::nullopt) const;

 private:
  std::string bytes_;
  std::uint32_t count_ = 0;
};

// `pack` with its last 20 bytes made right for what is before them.
std::string with_right_checksum(std::string pack);

struct PackObject {
  object::Kind kind{};
  std::string content;
  std::optional<std::size_t> base;  // stored as a delta against the object of this number

  object::Oid id() const { return object_id(kind, content); }
};

// The objects in the order of their numbers in `order`.
std::string lay_out(const std::vector<PackObject>& objects, const std::vector<std::size_t>& order,
                    bool only_ref_deltas = false);
// 0, 1, … count - 1
std::vector<std::size_t> natural_order(std::size_t count);

// One entry of a tree object's bytes: "100644", "name", id.
std::string tree_entry(std::string_view octal_mode, std::string_view name, const object::Oid& id);
std::string commit_text(const object::Oid& tree, const std::vector<object::Oid>& parents = {},
                        std::string_view message = "m\n");

}  // namespace pfetch::test
