// `--explain`: the way of each root through the eight steps, and of each ref to its verdict, as data and as lines.
//
// Made only when it is asked for: it takes time and memory in proportion to refs times roots. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shallow/reconcile.h"

namespace pfetch::shallow {

struct RootStory {
  object::Oid id;
  Side side;
  int dropped_in_step = 0;         // 0: it went through all of them
  bool added = false;              // to our boundary
  std::uint64_t refs_needing = 0;  // refs that reach it; 0 on clone, which looks at no ref
};

struct RefStory {
  std::string name;
  Verdict verdict;
  std::vector<object::Oid> roots;  // that it needs, the first 16 of them
  std::size_t root_count = 0;      // all of them
  // For a ref that is refused and would not be if the other side's history were longer by so many commits. nullopt: it
  // cannot be known here. The other cure, --update-shallow, is always there.
  std::optional<int> deepen_by;
};

struct Explanation {
  std::vector<RootStory> roots;  // by the steps that dropped them; those that were not, last
  std::vector<RefStory> refs;    // in the order of the updates
  int decided_in_step = 8;
  std::size_t commits_walked = 0;  // by the steps; what explaining itself walked is not in it
};

// `updates` and `context` are those that `reconciliation` was made with.
Explanation explain(const Reconciliation& reconciliation, std::span<const RefUpdate> updates,
                    const ReconcileContext& context);

// "dropped in step 4: the pack did not bring it", "added: 2 refs need it".
std::string root_outcome(const RootStory& root);
// "run with --update-shallow, or deepen the other side by 3"; empty for an accepted ref.
std::string cure(const RefStory& ref);
// A line for the whole, one for each root, one for each ref; without newlines.
std::vector<std::string> explanation_lines(const Explanation& explanation);

}  // namespace pfetch::shallow
