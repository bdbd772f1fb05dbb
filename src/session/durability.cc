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
    if (word == "none") wanted = {false, false};
    if (word == "pack" || word == "objects" || word == "committed" || word == "added" || word == "all") {
      wanted.packs = on;
    }
    if (word == "reference" || word == "all") wanted.refs = on;
  }
  return wanted;
}

}  // namespace pfetch::session
