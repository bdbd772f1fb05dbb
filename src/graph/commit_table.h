// The commits met so far of a repository: a CommitGraph over any ObjectSource, with a commit-graph file to help it.
//
// A commit gets its position when it is first asked for or named as a parent. What the file has is taken from there and
// trusted to have its parents. Any other commit is inflated, once, when its own date or parents, or the parents of a
// child, are asked for; its generation is not known. `find` never inflates. About 60 bytes a commit. Borrows objects
// and file, which must outlive it; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "graph/commit_graph.h"
#include "graph/commit_graph_file.h"
#include "object/object_source.h"

namespace pfetch::graph {

class CommitTable final : public CommitGraph {
 public:
  // `cuts`: commits at which history ends, that is, the roots of `.git/shallow`; some may not be here. `file` may be
  // nullptr. `has`, if given, tells more cheaply than `objects` whether an object is there; it is asked about commits
  // of the file.
  explicit CommitTable(object::ObjectSource& objects, std::span<const Oid> cuts = {},
                       const CommitGraphFile* file = nullptr, std::function<bool(const Oid&)> has = {});

  std::optional<Position> find(const Oid& id) override;
  const Oid& id_at(Position position) override { return ids_[position]; }
  // Errors name the commit, and the parent that is not here.
  std::span<const Position> parents(Position position) override;
  std::uint64_t generation(Position position) override;
  std::int64_t date(Position position) override;
  std::size_t commits_walked() const override { return commits_walked_; }

 private:
  struct Row {
    std::int64_t date = 0;
    std::uint32_t first_parent = 0;  // in parents_
    std::uint32_t parent_count : 29 = 0;
    std::uint32_t read : 1 = 0;    // the members above are true
    std::uint32_t cut : 1 = 0;     // has no parents here, whatever the commit says
    std::uint32_t walked : 1 = 0;  // parents were asked for, and are here
  };

  Position position_of(const Oid& id, std::uint32_t in_file);
  std::uint32_t place_in_file(const Oid& id) const;
  std::size_t slot_of(const Oid& id) const;
  void grow_slots();
  bool is_commit(const Oid& id, std::uint32_t in_file);
  bool read(Position position);  // false: there is no such object
  bool read_object(Position position);
  void read_file(Position position);
  void set(Position position, std::int64_t date, std::size_t first_parent);

  object::ObjectSource& objects_;
  const std::unordered_set<Oid> cuts_;
  const CommitGraphFile* const file_;
  const std::function<bool(const Oid&)> has_;
  std::vector<Oid> ids_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> in_file_;  // by position, the position in the file; empty without one
  std::vector<Position> parents_;       // of all rows
  std::vector<Position> slots_;         // open addressing by id; a power of two, at most three quarters in use
  std::size_t commits_walked_ = 0;
};

}  // namespace pfetch::graph
