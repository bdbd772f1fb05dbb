// What becomes of each ref that a fetch touches: git-fetch's rules, as a pure function of old and new value.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/fetch_refs.h"
#include "object/oid.h"

namespace pfetch::command {

enum class UpdateKind {
  up_to_date,
  created,
  fast_forward,
  forced,     // not a fast-forward, and allowed
  tag_moved,  // a tag that was here is replaced, and may be
  deleted,    // by --prune
  fetched,    // stored in FETCH_HEAD alone
  rejected,
};

struct RefDecision {
  UpdateKind kind = UpdateKind::up_to_date;
  std::string remote_name;
  std::string local_name;  // empty with UpdateKind::fetched
  object::Oid old_id;      // null: there was none
  object::Oid new_id;      // null: deleted
  // Of a ref that could not be written: what would have become of it.
  std::optional<UpdateKind> attempted;
  std::string_view note;    // why it is rejected, or "forced update"
  std::string_view reflog;  // "fast-forward": what follows the command in the reflog
  ForMerge for_merge = ForMerge::no;
  bool is_late = false;  // as in FetchedRef

  bool new_is_commit = false;  // known; false says nothing

  bool changes_ref() const {
    return kind == UpdateKind::created || kind == UpdateKind::fast_forward || kind == UpdateKind::forced ||
           kind == UpdateKind::tag_moved || kind == UpdateKind::deleted;
  }
};

struct UpdateRules {
  bool force = false;               // --force, for all refs
  bool show_forced_updates = true;  // otherwise nobody looks whether an update is a fast-forward
  // Whether what both ids stand for are commits; nullopt: one is none, or is not here.
  std::function<std::optional<bool>(const object::Oid& old_id, const object::Oid& new_id)> is_fast_forward;
};

// `old_id` is null for a ref that is not here.
RefDecision decide_update(const FetchedRef& ref, const object::Oid& old_id, const UpdateRules& rules);

}  // namespace pfetch::command
