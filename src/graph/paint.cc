#include "graph/paint.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

#include "graph/ref_sets.h"

namespace pfetch::graph {

namespace {

class Painter {
 public:
  Painter(CommitGraph& graph, std::span<const Position> marks, const std::function<bool(Position)>& stop)
      : graph_(graph), stop_(stop) {
    for (const Position mark : marks) {
      node(mark).mark = true;
      floor_ = std::min(floor_, graph_.generation(mark));
    }
  }

  void start(Position tip, std::uint32_t number) {
    const bool first = node(tip).state == State::unseen;
    if (!enter(tip)) return;
    if (first) tops_.push_back(tip);
    nodes_[tip].set = sets_.unite(nodes_[tip].set, RefSets::single(number));
  }

  // Counts for each commit the children through which it will be handed a set.
  void count_children() {
    std::vector<Position> open = tops_;
    std::vector<Position> parents;
    while (!open.empty()) {
      const Position position = open.back();
      open.pop_back();
      if (nodes_[position].mark) continue;
      const auto borrowed = graph_.parents(position);
      parents.assign(borrowed.begin(), borrowed.end());  // `enter` asks the graph
      for (const Position parent : parents) {
        const bool first = node(parent).state == State::unseen;
        if (!enter(parent)) continue;
        ++nodes_[parent].children;
        if (first) open.push_back(parent);
      }
    }
  }

  // Hands sets down. A commit is ready when all its children have been.
  void hand_down() {
    std::vector<Position> ready;
    for (const Position top : tops_) {
      if (nodes_[top].children == 0) ready.push_back(top);
    }
    while (!ready.empty()) {
      const Position position = ready.back();
      ready.pop_back();
      const RefSets::Handle set = std::exchange(nodes_[position].set, RefSets::empty);
      if (nodes_[position].mark) {
        painted_[position] = sets_.take(set);
      } else {
        hand_to_parents(position, set, ready);
      }
    }
  }

  Roaring painted(Position mark) const {
    const auto at = painted_.find(mark);
    return at == painted_.end() ? Roaring() : at->second;
  }

 private:
  enum class State : std::uint8_t { unseen, entered, not_entered };
  struct Node {
    std::uint32_t children = 0;  // that have not handed their sets on yet
    RefSets::Handle set = RefSets::empty;
    State state = State::unseen;
    bool mark = false;
  };

  Node& node(Position position) {
    if (position >= nodes_.size()) nodes_.resize(std::max(std::size_t{position} + 1, 2 * nodes_.size()));
    return nodes_[position];
  }

  bool enter(Position position) {
    if (nodes_[position].state == State::unseen) {
      const std::uint64_t generation = graph_.generation(position);
      const bool too_low = generation != generation_unknown && generation <= floor_ && !nodes_[position].mark;
      const bool stopped = too_low || (stop_ && stop_(position));
      nodes_[position].state = stopped ? State::not_entered : State::entered;
    }
    return nodes_[position].state == State::entered;
  }

  // The last parent takes the set itself, so that in straight history no set is ever copied.
  void hand_to_parents(Position position, RefSets::Handle set, std::vector<Position>& ready) {
    const auto parents = graph_.parents(position);
    Position waiting = 0;
    bool has_waiting = false;
    const auto hand = [&](Position parent, RefSets::Handle given) {
      Node& below = nodes_[parent];
      below.set = sets_.unite(below.set, given);
      if (--below.children == 0) ready.push_back(parent);
    };
    for (const Position parent : parents) {
      if (nodes_[parent].state != State::entered) continue;
      if (has_waiting) hand(waiting, sets_.share(set));
      waiting = parent;
      has_waiting = true;
    }
    if (has_waiting) {
      hand(waiting, set);
    } else {
      sets_.release(set);
    }
  }

  CommitGraph& graph_;
  const std::function<bool(Position)>& stop_;
  std::uint64_t floor_ = generation_unknown;  // the lowest generation of a mark
  std::vector<Node> nodes_;                   // by position
  std::vector<Position> tops_;                // tips, each once
  RefSets sets_;
  std::unordered_map<Position, Roaring> painted_;
};

}  // namespace

std::vector<Roaring> paint(CommitGraph& graph, std::span<const std::optional<Position>> tips,
                           std::span<const Position> marks, const std::function<bool(Position)>& stop) {
  assert(tips.size() <= RefSets::members_max);
  std::vector<Roaring> painted(marks.size());
  if (marks.empty()) return painted;
  Painter painter(graph, marks, stop);
  for (std::size_t i = 0; i < tips.size(); ++i) {
    if (tips[i]) painter.start(*tips[i], static_cast<std::uint32_t>(i));
  }
  painter.count_children();
  painter.hand_down();
  for (std::size_t i = 0; i < marks.size(); ++i) painted[i] = painter.painted(marks[i]);
  return painted;
}

}  // namespace pfetch::graph
