#include "shallow/partition.h"

#include <algorithm>

namespace pfetch::shallow {

using object::Oid;

void Candidates::drop_if(Side side, int step, const AskObject& lost) {
  std::vector<Oid>& roots = side == Side::ours ? ours : theirs;
  const auto kept_end = std::stable_partition(roots.begin(), roots.end(), [&](const Oid& id) { return !lost(id); });
  for (auto root = kept_end; root != roots.end(); ++root) dropped.push_back({*root, side, step});
  roots.erase(kept_end, roots.end());
}

Candidates split(std::span<const Oid> sender, const AskObject& had) {
  Candidates candidates;
  for (const Oid& id : object::sorted_unique({sender.begin(), sender.end()})) {
    (had(id) ? candidates.ours : candidates.theirs).push_back(id);
  }
  return candidates;
}

Candidates drop_listed(Candidates candidates, const ShallowFile& own) {
  candidates.drop_if(Side::ours, 2, [&](const Oid& id) { return own.has(id); });
  return candidates;
}

}  // namespace pfetch::shallow
