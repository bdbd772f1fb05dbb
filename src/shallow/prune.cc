#include "shallow/prune.h"

namespace pfetch::shallow {

using object::Oid;

std::vector<Oid> unneeded_roots(const ShallowFile& own, std::span<const Oid> tips, graph::Reachability& reachability) {
  std::vector<Oid> unneeded;
  const std::vector<bool> reached = reachability.reached(tips, own.roots);
  for (std::size_t i = 0; i < own.roots.size(); ++i) {
    if (!reached[i]) unneeded.push_back(own.roots[i]);
  }
  return unneeded;
}

}  // namespace pfetch::shallow
