#include "session/upstream.h"

#include "object/refspec.h"

namespace pfetch::session {

Upstream upstream_of(const repo::Config& config, std::string_view branch) {
  const std::string section = "branch." + std::string(branch);
  return {config.get(section + ".remote", ""), config.get_all(section + ".merge")};
}

std::optional<std::string> tracking_ref(const repo::Config& config, const std::string& remote, std::string_view name) {
  if (remote == ".") return std::string(name);
  const auto texts = config.get_all("remote." + remote + ".fetch");
  for (const object::Refspec& spec : object::Refspec::parse_all(texts, object::Refspec::Direction::fetch)) {
    if (spec.negative) continue;
    if (auto local = spec.to_dst(name)) return local;
  }
  return std::nullopt;
}

std::optional<std::string> upstream_ref(const repo::Config& config, std::string_view branch) {
  const Upstream upstream = upstream_of(config, branch);
  if (!upstream.is_set()) return std::nullopt;
  return tracking_ref(config, upstream.remote, upstream.merge.front());
}

}  // namespace pfetch::session
