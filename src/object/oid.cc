#include "object/oid.h"

#include <algorithm>

#include "base/ascii.h"

namespace pfetch::object {

std::optional<Oid> Oid::from_hex(std::string_view hex) {
  if (hex.size() != hex_size) return std::nullopt;
  Oid id;
  for (std::size_t i = 0; i < raw_size; ++i) {
    const int high = base::hex_digit(hex[2 * i]);
    const int low = base::hex_digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.raw[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return id;
}

const Oid& empty_tree_id() {
  static const Oid id = Oid::from_hex("4b825dc642cb6eb9a060e54bf8d69288fbee4904").value();
  return id;
}

std::vector<Oid> sorted_unique(std::vector<Oid> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::string Oid::hex() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(hex_size, '0');
  for (std::size_t i = 0; i < raw_size; ++i) {
    text[2 * i] = digits[raw[i] >> 4];
    text[2 * i + 1] = digits[raw[i] & 15];
  }
  return text;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::commit:
      return "commit";
    case Kind::tree:
      return "tree";
    case Kind::blob:
      return "blob";
    case Kind::tag:
      return "tag";
  }
  return "unknown";
}

std::optional<Kind> kind_from_name(std::string_view name) {
  for (const Kind kind : {Kind::commit, Kind::tree, Kind::blob, Kind::tag}) {
    if (kind_name(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace pfetch::object
