#include "transport/remote_refs.h"

#include <algorithm>

#include "base/error.h"
#include "transport/sideband.h"

namespace pfetch::transport {

const RemoteRef* RemoteRefs::find(std::string_view name) const {
  const auto at = std::find_if(refs.begin(), refs.end(), [&](const RemoteRef& ref) { return ref.name == name; });
  return at == refs.end() ? nullptr : &*at;
}

void RemoteRefs::add(RemoteRef ref) {
  if (ref.name != "HEAD" && !(ref.name.starts_with("refs/") && is_valid_ref_name(ref.name))) {
    if (warnings.size() < remote_warnings_max) {
      warnings.push_back("ignoring ref with broken name " + cleaned(ref.name));
    }
    return;
  }
  if (refs.size() >= remote_refs_max) throw Error(ErrorCode::protocol, "the remote repository lists too many refs");
  if (ref.name == "HEAD" && !ref.symref_target.empty()) head_is_symbolic = true;
  if (!is_valid_ref_name(ref.symref_target)) ref.symref_target.clear();
  if (ref.name == "HEAD") {
    head_id = ref.id;
    if (!ref.symref_target.empty()) head_target = ref.symref_target;
  }
  refs.push_back(std::move(ref));
}

std::string guess_head_target(const RemoteRefs& remote, std::string_view default_branch) {
  if (!remote.head_id) return "";
  std::string guess;
  int guess_rank = 0;
  for (const RemoteRef& ref : remote.refs) {
    if (!ref.name.starts_with("refs/heads/") || ref.id != *remote.head_id) continue;
    const int rank = ref.name == default_branch ? 3 : ref.name == "refs/heads/master" ? 2 : 1;
    if (rank > guess_rank) {
      guess = ref.name;
      guess_rank = rank;
    }
  }
  return guess;
}

namespace {

bool is_valid_component(std::string_view component) {
  if (component.empty() || component.front() == '.' || component.ends_with(".lock")) return false;
  char before = 0;
  for (const char c : component) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f) return false;
    if (std::string_view(" ~^:?*[\\").find(c) != std::string_view::npos) return false;
    if (before == '.' && c == '.') return false;
    if (before == '@' && c == '{') return false;
    before = c;
  }
  return true;
}

}  // namespace

bool is_valid_ref_name(std::string_view name) {
  std::size_t components = 0;
  if (name.ends_with('.')) return false;
  for (;;) {
    const auto slash = name.find('/');
    if (!is_valid_component(name.substr(0, slash))) return false;
    ++components;
    if (slash == std::string_view::npos) return components >= 2;
    name.remove_prefix(slash + 1);
  }
}

PrefixFilter::PrefixFilter(std::vector<std::string> prefixes) {
  std::sort(prefixes.begin(), prefixes.end());
  for (std::string& prefix : prefixes) {
    if (prefixes_.empty() || !prefix.starts_with(prefixes_.back())) prefixes_.push_back(std::move(prefix));
  }
}

bool PrefixFilter::matches(std::string_view name) const {
  if (prefixes_.empty()) return true;
  // No prefix begins with another, so only the greatest that is not after `name` can be a beginning of it.
  const auto after = std::upper_bound(prefixes_.begin(), prefixes_.end(), name);
  return after != prefixes_.begin() && name.starts_with(*std::prev(after));
}

}  // namespace pfetch::transport
