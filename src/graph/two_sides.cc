#include "graph/two_sides.h"

#include <algorithm>

namespace pfetch::graph {

void TwoSides::paint(Position commit, unsigned colours) {
  Seen& seen = seen_[commit];
  const unsigned all = seen.colours | colours;
  if (all == seen.colours) return;
  if (seen.waiting && is_open(seen.colours)) --open_;
  seen.colours = all;
  const std::int64_t date = graph_.date(commit);
  if (is_open(all)) {
    ++open_;
    oldest_ = std::min(oldest_, date);
  }
  if (!seen.waiting) queue_.push({date, commit});
  seen.waiting = true;
}

void TwoSides::pass_next() {
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

unsigned TwoSides::colours_of(Position commit) const {
  const auto seen = seen_.find(commit);
  return seen == seen_.end() ? 0 : seen->second.colours;
}

std::vector<Position> TwoSides::with(unsigned colours) const {
  std::vector<Position> found;
  for (const auto& [commit, seen] : seen_) {
    if (seen.colours == colours) found.push_back(commit);
  }
  return found;
}

}  // namespace pfetch::graph
