#include "shallow/reconcile.h"

#include <algorithm>
#include <utility>

#include "shallow/trim.h"

namespace pfetch::shallow {

using object::Oid;

namespace {

std::vector<std::optional<Oid>> new_tips(std::span<const RefUpdate> updates) {
  std::vector<std::optional<Oid>> tips;
  tips.reserve(updates.size());
  for (const RefUpdate& update : updates) tips.push_back(update.commit);
  return tips;
}

std::vector<Oid> dropped_in(int step, const Candidates& candidates) {
  std::vector<Oid> ids;
  for (const DroppedRoot& root : candidates.dropped) {
    if (root.step == step) ids.push_back(root.id);
  }
  return ids;
}

// On clone there is no history of ours to protect, and every ref will be made.
std::vector<NeededRoot> all_that_came(const Candidates& candidates) {
  std::vector<NeededRoot> roots;
  for (const Oid& id : candidates.ours) roots.push_back({id, Side::ours, {}});
  for (const Oid& id : candidates.theirs) roots.push_back({id, Side::theirs, {}});
  return roots;
}

// The steps in their order, on what is left. Each of them is skipped once nothing is.
class Steps {
 public:
  Steps(const ReconcileRequest& request, const ReconcileContext& context, Reconciliation& result)
      : request_(request), context_(context), result_(result) {}

  void take() {
    roots_ = split(request_.sender, context_.had);  // 1
    roots_ = drop_listed(std::move(roots_), context_.own);
    if (decided_in(2)) return;
    // Step 3, the pack, has been taken: kept with an index, or unpacked.
    roots_ = drop_absent(std::move(roots_), context_.came);
    if (decided_in(4)) return;
    roots_ = drop_not_sent(std::move(roots_), context_.came);
    if (decided_in(5)) return;
    if (request_.new_roots == NewRoots::clone) {
      result_.needed = all_that_came(roots_);
      return;
    }
    if (context_.reachability_is_cheap) {
      protect_current_refs();  // 7
      if (decided_in(7)) return;
      find_needing_refs();  // 6
      decided_in(6);
    } else {
      find_needing_refs();
      if (decided_in(6)) return;
      protect_current_refs();
      decided_in(7);
    }
  }

  std::vector<DroppedRoot> dropped() && { return std::move(roots_.dropped); }

 private:
  bool decided_in(int step) {
    if (!roots_.empty()) return false;
    result_.decided_in_step = step;
    return true;
  }

  void find_needing_refs() {
    const std::vector<Oid> passed = dropped_in(7, roots_);
    Assignment assignment =
        assign(std::move(roots_), context_.graph, new_tips(request_.updates), context_.current_tips, passed);
    roots_ = std::move(assignment.candidates);
    result_.needed = std::move(assignment.needed);
  }

  void protect_current_refs() {
    roots_ = drop_reached(std::move(roots_), context_.current_tips, context_.reachability);
    std::erase_if(result_.needed, [&](const NeededRoot& root) {
      return root.side == Side::ours && !std::binary_search(roots_.ours.begin(), roots_.ours.end(), root.id);
    });
  }

  const ReconcileRequest& request_;
  const ReconcileContext& context_;
  Reconciliation& result_;
  Candidates roots_;
};

// A verdict for each update: refused if it needs a root and none may be added.
std::vector<Verdict> judge(const ReconcileRequest& request, std::span<const NeededRoot> needed) {
  std::vector<Verdict> verdicts(request.updates.size(), Verdict::accepted);
  if (request.new_roots != NewRoots::refuse) return verdicts;
  graph::Roaring refused;
  for (const NeededRoot& root : needed) refused |= root.refs;
  for (const std::uint32_t update : refused) verdicts[update] = Verdict::needs_update_shallow;
  return verdicts;
}

}  // namespace

Candidates drop_reached(Candidates candidates, std::span<const Oid> current_tips, graph::Reachability& reachability) {
  if (candidates.ours.empty()) return candidates;
  const std::vector<Oid> asked = candidates.ours;
  const std::vector<bool> reached = reachability.reached(current_tips, asked);
  candidates.drop_if(Side::ours, 7, [&](const Oid& id) {
    return reached[static_cast<std::size_t>(std::lower_bound(asked.begin(), asked.end(), id) - asked.begin())];
  });
  return candidates;
}

Reconciliation reconcile(const ReconcileRequest& request, const ReconcileContext& context) {
  const std::size_t walked_before = context.graph.commits_walked();
  Reconciliation result;
  result.new_roots = request.new_roots;
  Steps steps(request, context, result);
  steps.take();
  result.dropped = std::move(steps).dropped();
  result.verdicts = judge(request, result.needed);
  result.edit = edit_for(result, [](std::uint32_t) { return true; });  // 8
  result.commits_walked = context.graph.commits_walked() - walked_before;
  return result;
}

ShallowEdit edit_for(const Reconciliation& reconciliation, const std::function<bool(std::uint32_t)>& will_be_made) {
  ShallowEdit edit;
  if (reconciliation.needed.empty()) return edit;
  graph::Roaring made;
  for (std::uint32_t update = 0; update < reconciliation.verdicts.size(); ++update) {
    if (reconciliation.verdicts[update] == Verdict::accepted && will_be_made(update)) made.add(update);
  }
  for (const NeededRoot& root : reconciliation.needed) {
    if (reconciliation.new_roots == NewRoots::clone || root.refs.intersect(made)) edit.add.push_back(root.id);
  }
  return edit;
}

std::vector<Oid> Reconciliation::roots_of(std::uint32_t update) const {
  std::vector<Oid> ids;
  for (const NeededRoot& root : needed) {
    if (root.refs.contains(update)) ids.push_back(root.id);
  }
  return ids;
}

}  // namespace pfetch::shallow
