#include "session/worktree_switch.h"

#include <algorithm>
#include <utility>

#include "base/trace.h"
#include "checkout/by_path.h"
#include "checkout/cache_tree.h"
#include "checkout/switch_plan.h"
#include "object/path_parts.h"
#include "session/local_changes.h"
#include "session/peel.h"
#include "session/worktree_change.h"

namespace pfetch::session {

namespace {

using checkout::FileState;
using checkout::IndexEntry;
using checkout::PlannedPath;
using checkout::Standing;

class Switch {
 public:
  Switch(const SwitchContext& context, const SwitchOptions& options)
      : context_(context), options_(options), change_(context) {}

  SwitchOutcome run(const std::optional<object::Oid>& from, const object::Oid& to) {
    const object::Oid to_tree = tree_of(context_.objects, to);
    if (!options_.force && find_unmerged()) return std::move(outcome_);
    change_.examine();
    make_plan(from, to_tree);
    order_all();
    if (!options_.force) find_obstacles();
    if (!outcome_.refusal.empty()) return std::move(outcome_);
    change_.apply(orders_, options_.force, options_.origin);
    change_.update_index({.drop_conflicts = options_.force, .drop_resolve_undo = true});
    checkout::Index& index = change_.index();
    index.cache_tree = checkout::refresh_cache_tree(index.entries, index.cache_tree, context_.objects, to_tree);
    if (options_.want_local_changes) {
      outcome_.local_changes = list_local_changes(
          checkout::compare_index(context_.objects, index, to_tree, change_.tools().plan_rules()).paths, unclean_);
    }
    change_.publish();
    outcome_.lost = change_.lost();
    outcome_.collided = change_.collided();
    outcome_.files_written = change_.files_written();
    outcome_.files_removed = change_.files_removed();
    outcome_.bytes_written = change_.bytes_written();
    outcome_.workers = change_.workers();
    outcome_.workers_reason = change_.workers_reason();
    return std::move(outcome_);
  }

 private:
  bool find_unmerged() {
    std::vector<std::string>& unmerged = outcome_.refusal.unmerged;
    for (const IndexEntry& entry : change_.index().entries) {
      if (entry.stage != 0 && (unmerged.empty() || unmerged.back() != entry.path)) unmerged.emplace_back(entry.path);
    }
    return !unmerged.empty();
  }

  void make_plan(const std::optional<object::Oid>& from, const object::Oid& to_tree) {
    const base::TraceSpan span("compare trees");
    checkout::Index& index = change_.index();
    const checkout::PlanRules& rules = change_.tools().plan_rules();
    if (options_.force) {
      changes_ = checkout::compare_index(context_.objects, index, to_tree, rules);
      plan_ = checkout::plan_reset(index, changes_);
      return;
    }
    // Without an index the whole of the wanted tree is new.
    const bool initial = index.version == 0;
    const auto from_tree = from && !initial ? std::optional(tree_of(context_.objects, *from)) : std::nullopt;
    changes_ = checkout::compare_trees(context_.objects, from_tree, to_tree, rules);
    plan_ = checkout::plan_switch(index, changes_);
    for (const std::string_view path : plan_.refused) outcome_.refusal.staged_changes.emplace_back(path);
  }

  std::size_t place_of(const IndexEntry& entry) {
    return static_cast<std::size_t>(&entry - change_.index().entries.data());
  }

  // Goes through plan and index together: what is planned is ordered, and of the rest it is noted what is not clean.
  void order_all() {
    checkout::Index& index = change_.index();
    auto planned = plan_.paths.begin();
    for (const IndexEntry& entry : index.entries) {
      for (; planned != plan_.paths.end() && planned->path < entry.path; ++planned) order(*planned);
      const bool is_planned = planned != plan_.paths.end() && planned->path == entry.path;
      if (!is_planned && entry.stage == 0) consider_unplanned(entry);
    }
    for (; planned != plan_.paths.end(); ++planned) order(*planned);
  }

  // What is untracked, and what may go of that.
  void find_obstacles() {
    SwitchRefusal& refusal = outcome_.refusal;
    checkout::Obstacles known;
    known.untracked_overwritten.assign(plan_.in_the_way.begin(), plan_.in_the_way.end());
    known.directories = std::move(refusal.directories);
    checkout::Obstacles all = change_.find_obstacles(plan_, options_.overwrite_ignored, std::move(known));
    refusal.untracked_overwritten = std::move(all.untracked_overwritten);
    refusal.untracked_removed = std::move(all.untracked_removed);
    refusal.directories = std::move(all.directories);
    leave_out_directories_with_changes();
    ignored_ = std::move(all.ignored);
    clear_ignored();
  }

  void clear_ignored() {
    std::vector<PathOrder> cleared;
    for (const std::string& path : ignored_) {
      PathOrder* const order = checkout::find_by_path(orders_, path);
      if (order != nullptr && order->target) {
        order->standing = Standing::anything;
      } else {
        cleared.push_back({path, {}, nullptr, Standing::anything, false, true});
      }
    }
    orders_.insert(orders_.end(), cleared.begin(), cleared.end());
    std::sort(orders_.begin(), orders_.end(), [](const PathOrder& a, const PathOrder& b) { return a.path < b.path; });
  }

  void consider_unplanned(const IndexEntry& entry) {
    const bool look = options_.force && entry.assume_valid && !entry.skip_worktree;
    const FileState state = look ? change_.state().look_at(place_of(entry)) : change_.state().of(entry);
    if (state == FileState::clean) return;
    if (!options_.force) {
      unclean_.push_back({entry.path, state});
      return;
    }
    // Local changes are thrown away.
    const Standing standing = state == FileState::missing ? Standing::nothing : Standing::anything;
    orders_.push_back({entry.path, {entry.mode, entry.id}, &entry, standing, false});
  }

  void order(const PlannedPath& planned) {
    PathOrder order{planned.path, planned.target, planned.current, Standing::nothing, false};
    if (planned.current != nullptr) {
      order_known(order);
    } else if (options_.force) {
      order.standing = Standing::anything;
    }
    orders_.push_back(order);
  }

  // A tracked path that changes: its file must be as it was recorded, unless the user does not care.
  void order_known(PathOrder& order) {
    const bool flagged = order.current->assume_valid || order.current->skip_worktree;
    const std::size_t place = place_of(*order.current);
    const FileState state = flagged ? change_.state().look_at(place) : change_.state().of(place);
    // A file that stands where none is expected is the user's own.
    order.index_only = order.current->skip_worktree && state != FileState::clean && state != FileState::missing;
    // What a submodule has checked out is its own business, and its directory only goes when it is empty.
    const bool submodule = order.current->mode == object::mode_gitlink;
    const bool stays = !order.target && !gives_way_to_file(order.path);
    if (state == FileState::clean || (submodule && (state == FileState::modified || stays))) {
      order.standing = Standing::as_known;
    } else if (state == FileState::missing || (state == FileState::unreachable && !order.target)) {
      order.standing = Standing::nothing;
    } else if (options_.force) {
      order.standing = Standing::anything;
    } else if (state == FileState::directory && !order.target && !gives_way_to_file(order.path) &&
               change_.would_lose_files_below(plan_, order.path)) {
      outcome_.refusal.directories.emplace_back(order.path);
    } else {
      outcome_.refusal.local_changes.emplace_back(order.path);
    }
  }

  // Whether a directory above the path becomes a file.
  bool gives_way_to_file(std::string_view path) const {
    for (path = object::directory_part(path); !path.empty(); path = object::directory_part(path)) {
      const PlannedPath* const above = checkout::find_by_path(plan_.paths, path);
      if (above != nullptr && above->target) return true;
    }
    return false;
  }

  // Of a directory with local changes below it, those are what the user is told of, as by git.
  void leave_out_directories_with_changes() {
    const auto& changes = outcome_.refusal.local_changes;  // in order
    std::erase_if(outcome_.refusal.directories, [&](const std::string& directory) {
      const std::string below = directory + '/';
      const auto first = std::lower_bound(changes.begin(), changes.end(), below);
      return first != changes.end() && first->starts_with(below);
    });
  }

  const SwitchContext& context_;
  const SwitchOptions& options_;
  WorktreeChange change_;
  checkout::TreeChanges changes_;
  checkout::SwitchPlan plan_;
  std::vector<std::string> ignored_;  // to be removed; orders borrow from it
  std::vector<PathOrder> orders_;
  std::vector<UncleanFile> unclean_;  // that nothing is ordered for
  SwitchOutcome outcome_;
};

}  // namespace

SwitchOutcome switch_worktree(const SwitchContext& context, const std::optional<object::Oid>& from,
                              const object::Oid& to, const SwitchOptions& options) {
  return Switch(context, options).run(from, to);
}

}  // namespace pfetch::session
