#include "checkout/switch_plan.h"

#include <algorithm>

#include "checkout/by_path.h"
#include "checkout/cache_tree.h"
#include "checkout/tree_list.h"

namespace pfetch::checkout {

namespace {

const IndexEntry* merged_entry(const Index& index, std::string_view path) {
  const IndexEntry* const entry = index.find(path);
  return entry != nullptr && entry->stage == 0 ? entry : nullptr;
}

TreeSide side_of_current(const IndexEntry* current) {
  return current != nullptr ? TreeSide{object::canonical_mode(current->mode), current->id} : TreeSide();
}

std::span<const IndexEntry> tracked_below(const Index& index, std::string_view path) {
  return entries_below(index.entries, std::string(path) + "/");
}

// The index against a path that the wanted tree adds: a staged file where a directory must be, or the other way round.
class Clashes {
 public:
  Clashes(const Index& index, const TreeChanges& changes) : index_(index), changes_(changes) {}

  // Tracked below `path`, and nobody takes it away.
  bool add_below(std::string_view path, std::vector<std::string_view>& found) const {
    const std::size_t before = found.size();
    for (const IndexEntry& entry : tracked_below(index_, path)) {
      if (!goes_away(entry.path)) found.push_back(entry.path);
    }
    return found.size() != before;
  }

  // Tracked above `path`, once for each. Paths must come in order.
  void add_above(std::string_view path, std::vector<std::string_view>& found) {
    while (!heads_.empty() && !path.starts_with(heads_.back())) heads_.pop_back();
    for (;;) {
      const std::size_t slash = path.find('/', heads_.empty() ? 0 : heads_.back().size());
      if (slash == std::string_view::npos) return;
      const IndexEntry* const entry = index_.find(path.substr(0, slash));
      if (entry != nullptr && !goes_away(entry->path)) found.push_back(entry->path);
      heads_.push_back(path.substr(0, slash + 1));
    }
  }

 private:
  bool goes_away(std::string_view path) const {
    const PathChange* const change = find_by_path(changes_.paths, path);
    return change != nullptr && !change->after;
  }

  const Index& index_;
  const TreeChanges& changes_;
  std::vector<std::string_view> heads_;  // directories above the last path with their slashes, the topmost first
};

}  // namespace

SwitchPlan plan_switch(const Index& index, const TreeChanges& changes) {
  SwitchPlan plan;
  Clashes clashes(index, changes);
  for (const PathChange& change : changes.paths) {
    const IndexEntry* const current = merged_entry(index, change.path);
    const TreeSide staged = side_of_current(current);
    if (current != nullptr && staged == change.after) continue;  // it is there already
    if (staged == change.before) {
      if (current == nullptr && clashes.add_below(change.path, plan.refused)) continue;
      if (current == nullptr) clashes.add_above(change.path, plan.in_the_way);
      plan.paths.push_back({change.path, change.after, current});
    } else if (current == nullptr && !change.after) {
      // Staged as deleted. A directory that took its place is tracked and stays.
      if (tracked_below(index, change.path).empty()) plan.paths.push_back({change.path, {}, nullptr});
    } else {
      plan.refused.push_back(change.path);
    }
  }
  std::sort(plan.refused.begin(), plan.refused.end());  // those below an added path come with it
  return plan;
}

SwitchPlan plan_reset(const Index& index, const TreeChanges& changes) {
  SwitchPlan plan;
  plan.paths.reserve(changes.paths.size());
  for (const PathChange& change : changes.paths) {
    plan.paths.push_back({change.path, change.after, merged_entry(index, change.path)});
  }
  return plan;
}

}  // namespace pfetch::checkout
