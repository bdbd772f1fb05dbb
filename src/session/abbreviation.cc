#include "session/abbreviation.h"

#include <algorithm>
#include <bit>

namespace pfetch::session {

namespace {

constexpr std::size_t abbreviation_min = 7;

}  // namespace

std::size_t abbreviation_length(const repo::Config& config, store::Reader& objects) {
  const std::string set = config.get("core.abbrev", "auto");
  if (set == "no" || set == "off" || set == "false") return object::Oid::hex_size;
  if (set != "auto") {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(config.get_int("core.abbrev", 0), 4, object::Oid::hex_size));
  }
  const std::size_t bits = std::bit_width(objects.packed_objects());
  return std::max(abbreviation_min, (bits + 1) / 2);
}

std::string abbreviated(const object::Oid& id, const repo::Config& config, store::Reader& objects) {
  const std::string hex = id.hex();
  for (std::size_t length = abbreviation_length(config, objects); length < hex.size(); ++length) {
    const auto prefix = object::OidPrefix::from_hex(std::string_view(hex).substr(0, length));
    if (objects.find_prefix(*prefix, 2).size() < 2) return hex.substr(0, length);
  }
  return hex;
}

}  // namespace pfetch::session
