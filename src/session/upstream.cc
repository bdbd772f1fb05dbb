#include "session/upstream.h"

namespace pfetch::session {

Upstream upstream_of(const repo::Config& config, std::string_view branch) {
  const std::string section = "branch." + std::string(branch);
  return {config.get(section + ".remote", ""), config.get_all(section + ".merge")};
}

std::vector<object::Refspec> fetch_refspecs(const repo::Config& config, const std::string& remote) {
  return object::Refspec::parse_all(config.get_all("remote." + remote + ".fetch"), object::Refspec::Direction::fetch);
}

std::optional<std::string> tracking_ref(const repo::Config& config, const std::string& remote, std::string_view name) {
  if (remote == ".") return std::string(name);
  for (const object::Refspec& spec : fetch_refspecs(config, remote)) {
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
