// The eight steps: what a sender with another boundary than ours may change here, with a verdict for each ref.
//
// Used by a fetch from a shallow repository, a push from one, and a clone of one. It decides and writes nothing: the
// caller publishes `edit` (shallow_file) between the pack and the refs, after the connectivity check under the new
// boundary. It is not for the answer to a depth request of our own: those lines are the boundary.
//
// One thread. Throws what the graph throws (ErrorCode::corrupt: history that should be here is not).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/commit_graph.h"
#include "graph/reachability.h"
#include "shallow/assign.h"
#include "shallow/partition.h"
#include "shallow/shallow_file.h"

namespace pfetch::shallow {

// What may become of roots that a ref needs.
enum class NewRoots : std::uint8_t {
  refuse,  // the ref is refused: a push is told "shallow update not allowed", git's fetch warns
  add,     // they are added (--update-shallow, receive.shallowUpdate)
  clone,   // every root that the pack brought is added, and no ref is looked at
};

struct RefUpdate {
  std::string name;
  std::optional<object::Oid> commit;  // the new value, a tag peeled; nullopt: a deletion, or no commit
};

// What was asked for, and what the other side said.
struct ReconcileRequest {
  std::span<const object::Oid> sender;  // the sender's roots, as told
  std::span<const RefUpdate> updates;
  NewRoots new_roots = NewRoots::refuse;
};

// What is here. All of it outlives the call.
struct ReconcileContext {
  const ShallowFile& own;
  AskObject had;   // was the object here before the pack came?
  AskObject came;  // did the pack bring it, kept or unpacked?
  // Commits whose history must not be cut: the values of all refs, and HEAD of every worktree.
  std::span<const object::Oid> current_tips;
  graph::CommitGraph& graph;           // all objects, those that came too, cut at our own roots
  graph::Reachability& reachability;   // the same history
  bool reachability_is_cheap = false;  // from bitmaps: step 7 runs before step 6
};

enum class Verdict : std::uint8_t { accepted, needs_update_shallow };

struct Reconciliation {
  std::vector<Verdict> verdicts;     // one for each update
  std::vector<NeededRoot> needed;    // what is left after step 7; NeededRoot::refs are numbers of updates
  std::vector<DroppedRoot> dropped;  // in the order of the steps that were taken
  ShallowEdit edit;                  // for all refs that are accepted here
  NewRoots new_roots = NewRoots::refuse;
  int decided_in_step = 8;         // the step after which no root was in question any more
  std::size_t commits_walked = 0;  // in `graph`

  std::vector<object::Oid> roots_of(std::uint32_t update) const;  // what an update needs, in the order of `needed`
};

Reconciliation reconcile(const ReconcileRequest& request, const ReconcileContext& context);

// Step 7: drops from ours what `current_tips` reach. Our history is never cut.
Candidates drop_reached(Candidates candidates, std::span<const object::Oid> current_tips,
                        graph::Reachability& reachability);

// Step 8: the roots of the updates that will be made, and of no other. For a caller that refuses more of them later (no
// fast-forward, a hook); `will_be_made` is asked for accepted updates alone. On clone all roots are added.
ShallowEdit edit_for(const Reconciliation& reconciliation, const std::function<bool(std::uint32_t)>& will_be_made);

}  // namespace pfetch::shallow
