#include "graph/ancestry.h"

#include <queue>
#include <unordered_map>

namespace pfetch::graph {

namespace {

class Walk {
 public:
  Walk(CommitGraph& graph, Position ancestor, Position descendant) : graph_(graph), ancestor_(ancestor) {
    paint(ancestor, below_ancestor);
    paint(descendant, below_descendant);
  }

  bool finds_ancestor() {
    while (open_ > 0) {
      const Position commit = queue_.top().commit;
      queue_.pop();
      Seen& seen = seen_[commit];
      seen.waiting = false;
      const unsigned colours = seen.colours;
      if (is_open(colours)) --open_;
      const auto parents = graph_.parents(commit);
      const std::vector<Position> below(parents.begin(), parents.end());
      for (const Position parent : below) paint(parent, colours);
      if (seen_[ancestor_].colours & below_descendant) return true;
    }
    return seen_[ancestor_].colours & below_descendant;
  }

 private:
  static constexpr unsigned below_ancestor = 1;
  static constexpr unsigned below_descendant = 2;

  struct Seen {
    unsigned colours = 0;
    bool waiting = false;
  };
  struct Waiting {
    std::int64_t date;
    Position commit;
    bool operator<(const Waiting& other) const { return date < other.date; }
  };

  static bool is_open(unsigned colours) { return colours == below_descendant; }

  // A commit that gets another colour after it was passed waits once more, so that what lies below gets it as well.
  void paint(Position commit, unsigned colours) {
    Seen& seen = seen_[commit];
    const unsigned all = seen.colours | colours;
    if (all == seen.colours) return;
    if (seen.waiting && is_open(seen.colours)) --open_;
    seen.colours = all;
    if (is_open(all)) ++open_;
    if (!seen.waiting) queue_.push({graph_.date(commit), commit});
    seen.waiting = true;
  }

  CommitGraph& graph_;
  const Position ancestor_;
  std::unordered_map<Position, Seen> seen_;
  std::priority_queue<Waiting> queue_;
  std::size_t open_ = 0;  // waiting commits that only the descendant is known to reach
};

}  // namespace

bool is_ancestor(CommitGraph& graph, Position ancestor, Position descendant) {
  return ancestor == descendant || Walk(graph, ancestor, descendant).finds_ancestor();
}

}  // namespace pfetch::graph
