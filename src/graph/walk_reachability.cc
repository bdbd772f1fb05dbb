#include "graph/walk_reachability.h"

#include "graph/descent.h"

namespace pfetch::graph {

std::vector<bool> WalkReachability::reached(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) {
  WantedSet open(tips, wanted);
  if (!open.done()) {
    Descent descent(graph_, open);
    for (std::size_t i = 0; i < tips.size() && !open.done(); ++i) {
      if (const auto position = commit_at(graph_, objects_, tips[i])) descent.start(*position);
    }
    descent.run();
  }
  return open.answers(wanted);
}

}  // namespace pfetch::graph
