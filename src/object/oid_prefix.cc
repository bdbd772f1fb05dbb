#include "object/oid_prefix.h"

#include <algorithm>

#include "base/ascii.h"

namespace pfetch::object {

std::optional<OidPrefix> OidPrefix::from_hex(std::string_view hex) {
  if (hex.empty() || hex.size() > Oid::hex_size) return std::nullopt;
  OidPrefix prefix;
  for (const char c : hex) {
    const int digit = base::hex_digit(c);
    if (digit < 0) return std::nullopt;
    prefix.first.raw[prefix.digits / 2] |= static_cast<std::uint8_t>(prefix.digits % 2 == 0 ? digit << 4 : digit);
    ++prefix.digits;
  }
  return prefix;
}

bool OidPrefix::matches(const Oid& id) const {
  const std::size_t whole_bytes = digits / 2;
  if (!std::equal(id.raw.begin(), id.raw.begin() + static_cast<std::ptrdiff_t>(whole_bytes), first.raw.begin())) {
    return false;
  }
  return digits % 2 == 0 || (id.raw[whole_bytes] & 0xf0) == first.raw[whole_bytes];
}

}  // namespace pfetch::object
