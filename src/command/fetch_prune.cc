#include "command/fetch_prune.h"

#include <algorithm>
#include <unordered_set>

namespace pfetch::command {

std::vector<RefDecision> stale_refs(const std::vector<object::Refspec>& refspecs,
                                    const transport::RemoteRefs& advertised, const std::vector<repo::Ref>& here) {
  std::unordered_set<std::string_view> names;
  for (const transport::RemoteRef& ref : advertised.refs) names.insert(ref.name);
  const auto is_left_out = [&](const std::string& remote_name) {
    return std::any_of(refspecs.begin(), refspecs.end(), [&](const object::Refspec& refspec) {
      return refspec.negative && refspec.matches_src(remote_name);
    });
  };
  std::vector<RefDecision> stale;
  for (const repo::Ref& ref : here) {
    if (ref.is_symbolic()) continue;
    bool is_stored = false;
    bool has_source = false;
    for (const object::Refspec& refspec : refspecs) {
      const auto source = refspec.negative ? std::nullopt : refspec.to_src(ref.name);
      if (!source || is_left_out(*source)) continue;
      is_stored = true;
      has_source = has_source || names.contains(*source);
    }
    if (!is_stored || has_source) continue;
    RefDecision decision;
    decision.kind = UpdateKind::deleted;
    decision.local_name = ref.name;
    decision.old_id = ref.id;
    decision.for_merge = ForMerge::not_recorded;
    stale.push_back(std::move(decision));
  }
  return stale;
}

}  // namespace pfetch::command
