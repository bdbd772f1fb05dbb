#include "graph/descent.h"

#include <algorithm>

#include "object/peel.h"

namespace pfetch::graph {

std::optional<Position> commit_at(CommitGraph& graph, object::ObjectSource& objects, const Oid& id) {
  if (const auto position = graph.find(id)) return position;
  const auto target = object::peeled(objects, id);
  return target ? graph.find(*target) : std::nullopt;
}

Descent::Descent(CommitGraph& graph, WantedSet& wanted) : graph_(graph), wanted_(wanted) {
  for (const Oid& id : wanted_.open()) {
    const auto position = graph_.find(id);
    if (!position) {
      wanted_.give_up(id);
      continue;
    }
    const std::uint64_t generation = graph_.generation(*position);
    goals_.emplace(*position, generation);
    ++goal_generations_[generation];
  }
}

void Descent::run(const std::function<bool(Position)>& covered) {
  std::vector<Position> parents;
  while (!wanted_.done() && !open_.empty()) {
    const Entry top = open_.top();
    open_.pop();
    if (is_too_low(top.generation)) {
      left_out_ = true;
      return;
    }
    if (covered && covered(top.position)) continue;
    const auto borrowed = graph_.parents(top.position);
    parents.assign(borrowed.begin(), borrowed.end());  // `visit` asks the graph
    for (const Position parent : parents) visit(parent);
  }
}

// Whether a commit that was met, and is no goal, can be above none. A commit of known generation has no commit of
// unknown generation below it.
bool Descent::is_too_low(std::uint64_t generation) const {
  return goal_generations_.empty() ||
         (generation != generation_unknown && generation <= goal_generations_.begin()->first);
}

void Descent::visit(Position position) {
  if (position >= seen_.size()) seen_.resize(std::max(std::size_t{position} + 1, 2 * seen_.size()));
  if (seen_[position]) return;
  seen_[position] = true;
  if (goals_.contains(position)) reach(position);
  const std::uint64_t generation = graph_.generation(position);
  if (is_too_low(generation)) {
    left_out_ = true;
  } else {
    open_.push({generation, graph_.date(position), position});
  }
}

std::vector<Position> Descent::met() const {
  std::vector<Position> positions;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i]) positions.push_back(static_cast<Position>(i));
  }
  return positions;
}

void Descent::reach(Position goal) {
  const auto at = goals_.find(goal);
  const auto same = goal_generations_.find(at->second);
  if (--same->second == 0) goal_generations_.erase(same);
  goals_.erase(at);
  wanted_.mark_reached(graph_.id_at(goal));
}

}  // namespace pfetch::graph
