// The walk that looks for wanted commits below tips. Shared by graph/walk_reachability and graph/bitmap_reachability.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "graph/commit_graph.h"
#include "graph/wanted_set.h"
#include "object/object_source.h"

namespace pfetch::graph {

// The commit that `id` is or, through tags, leads to; nullopt when it leads to none, or what it leads to is not here.
std::optional<Position> commit_at(CommitGraph& graph, object::ObjectSource& objects, const Oid& id);

// Goes down in order of generation, then of date, and ends when nothing wanted is open, or when all that is left lies
// too low to reach any of it. Borrows all it is given.
class Descent {
 public:
  // Gives up those of `wanted` that are no commits here.
  Descent(CommitGraph& graph, WantedSet& wanted);

  void start(Position tip) { visit(tip); }
  // Commits for which `covered` answers true are not passed: whatever of `wanted` they reach, it has marked.
  void run(const std::function<bool(Position)>& covered = {});

  // Afterwards: whether every commit below the tips was met, but for those below covered ones.
  bool left_nothing_out() const { return open_.empty() && !left_out_; }
  std::vector<Position> met() const;

 private:
  struct Entry {
    std::uint64_t generation;
    std::int64_t date;
    Position position;
    bool operator<(const Entry& other) const {
      return generation != other.generation ? generation < other.generation : date < other.date;
    }
  };
  void visit(Position position);
  bool is_too_low(std::uint64_t generation) const;
  void reach(Position goal);

  CommitGraph& graph_;
  WantedSet& wanted_;
  std::unordered_map<Position, std::uint64_t> goals_;      // what is wanted and was not met yet, and its generation
  std::map<std::uint64_t, std::size_t> goal_generations_;  // how many goals have it
  std::vector<bool> seen_;                                 // by position
  std::priority_queue<Entry> open_;
  bool left_out_ = false;  // some commit was too low to be walked
};

}  // namespace pfetch::graph
