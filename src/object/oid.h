// Object ids, and the four kinds of object.
//
// pfetch reads SHA-1 repositories; others are refused by name (repo/repository). Nothing outside this header writes the
// number 20: sizes come from Oid::raw_size and Oid::hex_size.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace pfetch::object {

struct Oid {
  static constexpr std::size_t raw_size = 20;
  static constexpr std::size_t hex_size = 2 * raw_size;

  std::array<std::uint8_t, raw_size> raw{};

  // `bytes` must hold at least raw_size bytes.
  static Oid from_raw(const void* bytes) {
    Oid id;
    std::memcpy(id.raw.data(), bytes, raw_size);
    return id;
  }
  // Exactly hex_size hexadecimal digits, either case; anything else gives nullopt.
  static std::optional<Oid> from_hex(std::string_view hex);

  std::string hex() const;  // lower case
  bool is_null() const { return *this == Oid{}; }
  base::Bytes bytes() const { return {reinterpret_cast<const std::byte*>(raw.data()), raw_size}; }

  friend bool operator==(const Oid&, const Oid&) = default;
  friend std::strong_ordering operator<=>(const Oid& a, const Oid& b) {
    return std::memcmp(a.raw.data(), b.raw.data(), raw_size) <=> 0;
  }
};

// Of the tree without entries, which is always there in Git.
const Oid& empty_tree_id();

// The same ids, ascending, each once.
std::vector<Oid> sorted_unique(std::vector<Oid> ids);

// The numbers are those of the pack format (gitformat-pack).
enum class Kind : std::uint8_t { commit = 1, tree = 2, blob = 3, tag = 4 };

std::string_view kind_name(Kind kind);  // "commit", "tree", "blob", "tag"
std::optional<Kind> kind_from_name(std::string_view name);

}  // namespace pfetch::object

template <>
struct std::hash<pfetch::object::Oid> {
  std::size_t operator()(const pfetch::object::Oid& id) const noexcept {
    std::size_t value;
    std::memcpy(&value, id.raw.data(), sizeof value);
    return value;
  }
};
