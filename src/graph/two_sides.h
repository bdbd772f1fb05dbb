// Walks down from two sides of a history at once and colours each commit by the sides that reach it, the newest first.
//
// Whoever owns the walk says when it has seen enough. Belongs to one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <unordered_map>
#include <vector>

#include "graph/commit_graph.h"

namespace pfetch::graph {

class TwoSides {
 public:
  static constexpr unsigned left = 1;
  static constexpr unsigned right = 2;
  static constexpr unsigned both = left | right;

  // `counted`: the sides whose commits matter: one that waits and has such a colour, but not both, is open.
  TwoSides(CommitGraph& graph, unsigned counted) : graph_(graph), counted_(counted) {}

  // A commit that gets another colour after it was passed waits once more, so that what lies below gets it as well.
  void paint(Position commit, unsigned colours);
  // Takes the newest commit that waits, and paints its parents.
  void pass_next();

  // Some commit is open: the histories have not joined yet.
  bool is_apart() const { return open_ > 0; }
  // Colours of commits that count may still change: some are open, or what waits is not older than those that were.
  // (Where dates lie, a commit may be reached late.)
  bool may_change() const { return !queue_.empty() && (open_ > 0 || queue_.top().date >= oldest_); }

  unsigned colours_of(Position commit) const;
  // Those with exactly these colours, in no order.
  std::vector<Position> with(unsigned colours) const;

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

}  // namespace pfetch::graph
