// A history written down as lists, and the seams of the floor `graph` over it.
//
//   FakeGraph graph("c3: c2 b1; c2: c1; c1; b1: gone");
//
// names four commits, newest first or in any order. A parent that has no list of its own (`gone`) is not here: asking
// for the parents of its child throws, as in a real graph. `cut` makes a commit a root of our own `.git/shallow`.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "graph/commit_graph.h"
#include "graph/reachability.h"

namespace pfetch::test {

using object::Oid;

// The id that stands for a name of at most 20 bytes: those bytes. The null id stands for the empty name.
inline Oid named(std::string_view name) {
  Oid id;
  std::copy_n(name.begin(), std::min(name.size(), Oid::raw_size), id.raw.begin());
  return id;
}

inline std::string name_of(const Oid& id) {
  const auto end = std::find(id.raw.begin(), id.raw.end(), 0);
  return std::string(id.raw.begin(), end);
}

// "c1 c2" as ids.
inline std::vector<Oid> ids(std::string_view names) {
  std::vector<Oid> list;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t space = std::min(names.find(' ', at), names.size());
    if (space > at) list.push_back(named(names.substr(at, space - at)));
    at = space + 1;
  }
  return list;
}

// Ids as "c1 c2", in their order.
inline std::string names(std::span<const Oid> list) {
  std::string text;
  for (const Oid& id : list) text += (text.empty() ? "" : " ") + name_of(id);
  return text;
}

class FakeGraph : public graph::CommitGraph {
 public:
  using Position = graph::Position;

  FakeGraph() = default;
  explicit FakeGraph(std::string_view lists) {
    while (!lists.empty()) {
      const std::string_view list = lists.substr(0, lists.find(';'));
      lists.remove_prefix(std::min(list.size() + 1, lists.size()));
      const std::size_t colon = std::min(list.find(':'), list.size());
      const std::vector<Oid> child = ids(list.substr(0, colon));
      if (child.size() != 1) throw Error(ErrorCode::usage, "bad list: " + std::string(list));
      add(child.front(), colon < list.size() ? ids(list.substr(colon + 1)) : std::vector<Oid>{});
    }
  }

  void add(const Oid& id, std::vector<Oid> parent_ids, std::int64_t date = 0) {
    positions_[id] = static_cast<Position>(commits_.size());
    commits_.push_back({id, std::move(parent_ids), date});
  }
  FakeGraph& cut(std::span<const Oid> roots) {
    for (const Oid& id : roots) {
      if (const auto position = find(id)) commits_[*position].parent_ids.clear();
    }
    return *this;
  }
  FakeGraph& cut(std::string_view roots) { return cut(std::span<const Oid>(ids(roots))); }

  std::optional<Position> find(const Oid& id) override {
    ++questions;
    const auto found = positions_.find(id);
    return found != positions_.end() ? std::optional(found->second) : std::nullopt;
  }
  const Oid& id_at(Position position) override {
    ++questions;
    return commits_.at(position).id;
  }
  std::span<const Position> parents(Position position) override {
    ++questions;
    walked_.insert(position);
    answer_.clear();
    for (const Oid& parent : commits_.at(position).parent_ids) {
      const auto found = find(parent);
      if (!found) {
        throw Error(ErrorCode::corrupt, "commit " + name_of(id_at(position)) + " lacks its parent " + name_of(parent));
      }
      answer_.push_back(*found);
    }
    return answer_;
  }
  std::uint64_t generation(Position) override { return graph::generation_unknown; }
  std::int64_t date(Position position) override { return commits_.at(position).date; }
  std::size_t commits_walked() const override { return walked_.size(); }

  std::size_t questions = 0;  // of any kind

  // Everything that is here and reachable, itself included. Not counted as walked; parents that are not here are
  // passed over.
  std::set<Oid> closure(std::span<const Oid> tips) {
    std::set<Oid> seen;
    std::vector<Oid> stack(tips.begin(), tips.end());
    while (!stack.empty()) {
      const Oid id = stack.back();
      stack.pop_back();
      const auto position = find(id);
      if (!position || !seen.insert(id).second) continue;
      const std::vector<Oid>& above = commits_[*position].parent_ids;
      stack.insert(stack.end(), above.begin(), above.end());
    }
    return seen;
  }

 private:
  struct Commit {
    Oid id;
    std::vector<Oid> parent_ids;
    std::int64_t date;
  };
  std::vector<Commit> commits_;
  std::map<Oid, Position> positions_;
  std::set<Position> walked_;
  std::vector<Position> answer_;
};

// Answers from FakeGraph::closure, as bitmaps would: no commit counts as walked.
class FakeReachability : public graph::Reachability {
 public:
  explicit FakeReachability(FakeGraph& graph) : graph_(graph) {}

  std::vector<bool> reached(std::span<const Oid> tips, std::span<const Oid> wanted) override {
    ++questions;
    asked.insert(wanted.begin(), wanted.end());
    const std::set<Oid> seen = graph_.closure(tips);
    std::vector<bool> answer;
    for (const Oid& id : wanted) {
      answer.push_back(seen.contains(id) || std::find(tips.begin(), tips.end(), id) != tips.end());
    }
    return answer;
  }

  int questions = 0;
  std::set<Oid> asked;

 private:
  FakeGraph& graph_;
};

}  // namespace pfetch::test
