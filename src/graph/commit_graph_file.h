// The commit-graph of a repository: `objects/info/commit-graph`, or the chain that
// `objects/info/commit-graphs/commit-graph-chain` lists (gitformat-commit-graph).
//
// Opening proves the whole graph sound, so that nothing that is asked later fails: checksums, order of ids, every
// parent's position, and that every generation is above those of the parents (so there are no cycles). It does not
// prove that the commits are still in the repository; who finds one here asks the objects too. Not to be used where
// history is altered (a shallow file, grafts, replace refs). Immutable, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/commit_graph_layer.h"

namespace pfetch::graph {

class CommitGraphFile {
 public:
  // Looks in each of the objects directories, as store::Reader gets them; the first that has a sound graph gives it. Of
  // a chain, the layers below the first that cannot be opened are used. nullopt when there is none. What is damaged, or
  // cannot be read, is passed over, with a sentence in `warnings`.
  static std::optional<CommitGraphFile> open(std::span<const std::string> objects_directories,
                                             std::vector<std::string>& warnings);

  // Commits; positions are below it.
  std::uint32_t count() const { return first_positions_.back(); }
  std::optional<std::uint32_t> find(const object::Oid& id) const;
  object::Oid id_at(std::uint32_t position) const;
  // Replaces what `parents` holds.
  void read_parents(std::uint32_t position, std::vector<std::uint32_t>& parents) const;
  std::int64_t date(std::uint32_t position) const;
  // Corrected commit dates if every layer has them, topological levels if not. Above that of every parent.
  std::uint64_t generation(std::uint32_t position) const;

 private:
  CommitGraphFile() = default;
  void add_chain(const std::string& directory, std::span<const std::string> all_directories,
                 std::vector<std::string>& warnings);
  void add_layer(CommitGraphLayer layer);
  void check() const;
  std::uint64_t generation_in(const CommitGraphLayer& layer, std::uint32_t index) const;
  // The layer a position is in, and its index there.
  std::pair<const CommitGraphLayer&, std::uint32_t> at(std::uint32_t position) const;

  std::vector<CommitGraphLayer> layers_;           // from the ground up
  std::vector<std::uint32_t> first_positions_{0};  // of each layer; the last is the count of all
  bool corrected_ = true;                          // generations are corrected dates
};

}  // namespace pfetch::graph
