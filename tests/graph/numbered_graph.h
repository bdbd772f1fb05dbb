// A history of numbered commits, for random tests.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "graph/commit_graph.h"

namespace pfetch::graph {

// Commits 0, 1, 2 …, each with parents of lower numbers.
class NumberedGraph final : public CommitGraph {
 public:
  std::vector<std::vector<Position>> parents_of;
  std::vector<std::int64_t> dates;

  Position add(std::vector<Position> parents, std::int64_t date) {
    parents_of.push_back(std::move(parents));
    dates.push_back(date);
    return static_cast<Position>(dates.size() - 1);
  }
  std::optional<Position> find(const Oid&) override { return std::nullopt; }
  const Oid& id_at(Position) override { return id_; }
  std::span<const Position> parents(Position at) override {
    walked_.insert(at);
    return parents_of[at];
  }
  std::uint64_t generation(Position) override { return generation_unknown; }
  std::int64_t date(Position at) override { return dates[at]; }
  std::size_t commits_walked() const override { return walked_.size(); }

 private:
  Oid id_;
  std::set<Position> walked_;
};

}  // namespace pfetch::graph
