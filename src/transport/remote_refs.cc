#include "transport/remote_refs.h"

#include <algorithm>

#include "base/error.h"
#include "object/ref_name.h"
#include "transport/sideband.h"

namespace pfetch::transport {

const RemoteRef* RemoteRefs::find(std::string_view name) const {
  const auto at = std::find_if(refs.begin(), refs.end(), [&](const RemoteRef& ref) { return ref.name == name; });
  return at == refs.end() ? nullptr : &*at;
}

void RemoteRefs::add(RemoteRef ref) {
  if (ref.name != "HEAD" && !(ref.name.starts_with("refs/") && object::is_valid_ref_name(ref.name))) {
    if (warnings.size() < remote_warnings_max) {
      warnings.push_back("ignoring ref with broken name " + cleaned(ref.name));
    }
    return;
  }
  if (refs.size() >= remote_refs_max) throw Error(ErrorCode::protocol, "the remote repository lists too many refs");
  if (ref.name == "HEAD" && !ref.symref_target.empty()) head_is_symbolic = true;
  if (!object::is_valid_ref_name(ref.symref_target)) ref.symref_target.clear();
  if (ref.name == "HEAD") {
    head_id = ref.id;
    if (!ref.symref_target.empty()) head_target = ref.symref_target;
  }
  refs.push_back(std::move(ref));
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
