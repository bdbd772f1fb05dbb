#include "session/durability.h"

#include <algorithm>

namespace pfetch::session {

Durability durability(const repo::Config& config) {
  Durability wanted;
  const std::string components = config.get("core.fsync", "");
  for (std::string_view rest = components; !rest.empty();) {
    const auto end = std::min(rest.find_first_of(", "), rest.size());
    std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool on = !word.starts_with('-');
    if (!on) word.remove_prefix(1);
    const bool is_objects = word == "objects" || word == "committed" || word == "added" || word == "all";
    if (word == "none") wanted = {false, false, false};
    if (word == "pack" || is_objects) wanted.packs = on;
    if (word == "loose-object" || is_objects) wanted.loose = on;
    if (word == "reference" || word == "all") wanted.refs = on;
  }
  wanted.loose = wanted.loose || config.get_bool("core.fsyncobjectfiles", false);
  return wanted;
}

}  // namespace pfetch::session
