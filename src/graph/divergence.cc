#include "graph/divergence.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "graph/ancestry.h"

namespace pfetch::graph {

namespace {

constexpr unsigned left = 1;
constexpr unsigned right = 2;
constexpr unsigned both = left | right;

class TwoSides {
 public:
  // `counted`: the sides whose commits matter; the walk may end when none of them waits.
  TwoSides(CommitGraph& graph, unsigned counted) : graph_(graph), counted_(counted) {}

  // A commit that gets another colour after it was passed waits once more, so that what lies below gets it as well.
  void paint(Position commit, unsigned colours) {
    Seen& seen = seen_[commit];
    const unsigned all = seen.colours | colours;
    if (all == seen.colours) return;
    if (seen.waiting && is_open(seen.colours)) --open_;
    seen.colours = all;
    if (is_open(all)) {
      ++open_;
      oldest_ = std::min(oldest_, graph_.date(commit));
    }
    if (!seen.waiting) queue_.push({graph_.date(commit), commit});
    seen.waiting = true;
  }

  void walk() {
    while (!queue_.empty() && (open_ > 0 || queue_.top().date >= oldest_)) {
      const Position commit = queue_.top().commit;
      queue_.pop();
      Seen& seen = seen_[commit];
      seen.waiting = false;
      const unsigned colours = seen.colours;
      if (is_open(colours)) --open_;
      const auto parents = graph_.parents(commit);
      const std::vector<Position> below(parents.begin(), parents.end());
      for (const Position parent : below) paint(parent, colours);
    }
  }

  std::vector<Position> with(unsigned colours) const {
    std::vector<Position> found;
    for (const auto& [commit, seen] : seen_) {
      if (seen.colours == colours) found.push_back(commit);
    }
    return found;
  }

 private:
  struct Seen {
    unsigned colours = 0;
    bool waiting = false;
  };
  struct Waiting {
    std::int64_t date;
    Position commit;
    bool operator<(const Waiting& other) const { return date < other.date; }
  };

  bool is_open(unsigned colours) const { return colours != both && (colours & counted_) != 0; }

  CommitGraph& graph_;
  const unsigned counted_;
  std::unordered_map<Position, Seen> seen_;
  std::priority_queue<Waiting> queue_;
  std::size_t open_ = 0;                                            // waiting commits that count
  std::int64_t oldest_ = std::numeric_limits<std::int64_t>::max();  // date of those that have counted so far
};

}  // namespace

Divergence diverged(CommitGraph& graph, Position ours, Position theirs) {
  if (ours == theirs) return {};
  TwoSides sides(graph, both);
  sides.paint(ours, left);
  sides.paint(theirs, right);
  sides.walk();
  return {sides.with(left).size(), sides.with(right).size()};
}

std::vector<Position> only_reached_by(CommitGraph& graph, Position tip, std::span<const Position> others) {
  if (std::find(others.begin(), others.end(), tip) != others.end()) return {};
  TwoSides sides(graph, left);
  sides.paint(tip, left);
  for (const Position other : others) sides.paint(other, right);
  sides.walk();
  std::vector<Position> found = sides.with(left);

  // Newest first, a child before its parents: as a walk from the tip would meet them.
  const std::unordered_set<Position> alone(found.begin(), found.end());
  std::vector<Position> ordered;
  std::unordered_set<Position> met = {tip};
  using Entry = std::pair<std::int64_t, std::int64_t>;  // date, and how early it was met, negated
  std::priority_queue<std::pair<Entry, Position>> queue;
  std::int64_t turn = 0;
  if (alone.contains(tip)) queue.push({{graph.date(tip), turn}, tip});
  while (!queue.empty()) {
    const Position commit = queue.top().second;
    queue.pop();
    ordered.push_back(commit);
    const auto parents = graph.parents(commit);
    const std::vector<Position> below(parents.begin(), parents.end());
    for (const Position parent : below) {
      if (alone.contains(parent) && met.insert(parent).second) queue.push({{graph.date(parent), --turn}, parent});
    }
  }
  return ordered;
}

std::vector<Position> merge_bases(CommitGraph& graph, Position one, Position other) {
  if (one == other) return {one};
  TwoSides sides(graph, both);
  sides.paint(one, left);
  sides.paint(other, right);
  sides.walk();
  const std::vector<Position> common = sides.with(both);
  std::unordered_set<Position> below;
  for (const Position commit : common) {
    const auto parents = graph.parents(commit);
    below.insert(parents.begin(), parents.end());
  }
  std::vector<Position> bases;
  for (const Position commit : common) {
    if (!below.contains(commit)) bases.push_back(commit);
  }
  const std::vector<Position> candidates = bases;
  std::erase_if(bases, [&](Position base) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](Position candidate) { return candidate != base && is_ancestor(graph, base, candidate); });
  });
  return bases;
}

}  // namespace pfetch::graph
