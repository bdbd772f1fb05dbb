#include "command/fetch_updates.h"

#include "object/ref_name.h"

namespace pfetch::command {

namespace {

void reject(RefDecision& decision, std::string_view why) {
  decision.kind = UpdateKind::rejected;
  decision.note = why;
}

void create(RefDecision& decision) {
  decision.kind = UpdateKind::created;
  decision.reflog = object::is_tag_name(decision.remote_name)      ? "storing tag"
                    : object::is_branch_name(decision.remote_name) ? "storing head"
                                                                   : "storing ref";
}

void move_commit(RefDecision& decision, bool may_force, const UpdateRules& rules) {
  const auto forward = rules.is_fast_forward(decision.old_id, decision.new_id);
  if (!forward) {
    create(decision);  // as git calls it when one of them is no commit
  } else if (*forward || !rules.show_forced_updates) {
    decision.kind = UpdateKind::fast_forward;
    decision.reflog = "fast-forward";
  } else if (may_force) {
    decision.kind = UpdateKind::forced;
    decision.note = "forced update";
    decision.reflog = "forced-update";
  } else {
    reject(decision, "non-fast-forward");
  }
}

}  // namespace

RefDecision decide_update(const FetchedRef& ref, const object::Oid& old_id, const UpdateRules& rules) {
  RefDecision decision;
  decision.remote_name = ref.remote_name;
  decision.local_name = ref.local_name;
  decision.old_id = old_id;
  decision.new_id = ref.id;
  decision.for_merge = ref.for_merge;
  decision.is_late = ref.is_late;
  const bool may_force = rules.force || ref.force;
  if (ref.local_name.empty()) {
    decision.kind = UpdateKind::fetched;
  } else if (old_id == ref.id) {
    decision.kind = UpdateKind::up_to_date;
  } else if (old_id.is_null()) {
    create(decision);
  } else if (!object::is_tag_name(ref.local_name)) {
    move_commit(decision, may_force, rules);
  } else if (may_force) {
    decision.kind = UpdateKind::tag_moved;
    decision.reflog = "updating tag";
  } else {
    reject(decision, "would clobber existing tag");
  }
  return decision;
}

}  // namespace pfetch::command
