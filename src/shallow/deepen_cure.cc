#include "shallow/deepen_cure.h"

#include <unordered_set>
#include <vector>

#include "base/error.h"

namespace pfetch::shallow {

using graph::CommitGraph;
using graph::Position;
using object::Oid;

namespace {

constexpr std::size_t commits_max = 1000;

// The parents of a whole level. nullopt when one of them is not here.
std::optional<std::vector<Position>> parents_of(CommitGraph& graph, std::span<const Position> level) {
  std::vector<Position> all;
  try {
    for (const Position position : level) {
      const std::span<const Position> parents = graph.parents(position);
      all.insert(all.end(), parents.begin(), parents.end());
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
    return std::nullopt;
  }
  return all;
}

}  // namespace

std::optional<int> levels_to_deepen(CommitGraph& graph, graph::Reachability& reachability,
                                    std::span<const Oid> current_tips, const Oid& root) {
  const auto start = graph.find(root);
  if (!start) return std::nullopt;
  std::unordered_set<Position> met{*start};
  std::vector<Position> level{*start};
  for (int levels = 1; met.size() <= commits_max; ++levels) {
    const auto parents = parents_of(graph, level);
    if (!parents) return std::nullopt;
    level.clear();
    std::vector<Oid> asked;
    for (const Position parent : *parents) {
      if (!met.insert(parent).second) continue;
      level.push_back(parent);
      asked.push_back(graph.id_at(parent));
    }
    const std::vector<bool> reached = reachability.reached(current_tips, asked);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!reached[i]) level[kept++] = level[i];
    }
    level.resize(kept);
    if (level.empty()) return levels;
  }
  return std::nullopt;
}

}  // namespace pfetch::shallow
