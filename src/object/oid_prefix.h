// The first digits of an object id, as people write them.
//
// Pure, a plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "object/oid.h"

namespace pfetch::object {

struct OidPrefix {
  Oid first;               // the lowest id that begins so: the digits, then zeros
  std::size_t digits = 0;  // hexadecimal, 1 to Oid::hex_size

  // Of either case; nullopt for anything else, or none, or too many of them.
  static std::optional<OidPrefix> from_hex(std::string_view hex);

  bool matches(const Oid& id) const;
};

}  // namespace pfetch::object
