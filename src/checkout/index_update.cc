#include "checkout/index_update.h"

#include <string>
#include <utility>
#include <vector>

#include "checkout/cache_tree.h"

namespace pfetch::checkout {

namespace {

class Rebuild {
 public:
  Rebuild(Index& index, const IndexUpdateRules& rules) : index_(index), rules_(rules) {
    entries_.reserve(index.entries.size());
  }

  void run(std::span<const EntryUpdate> updates) {
    auto entry = index_.entries.begin();
    const auto end = index_.entries.end();
    for (const EntryUpdate& update : updates) {
      for (; entry != end && entry->path < update.path; ++entry) keep(*entry);
      const IndexEntry* merged = nullptr;
      bool was_there = false;
      for (; entry != end && entry->path == update.path; ++entry) {
        was_there = true;
        if (entry->stage == 0) merged = &*entry;
      }
      replace(update, merged, was_there);
    }
    for (; entry != end; ++entry) keep(*entry);
    index_.entries = std::move(entries_);
    invalidate_cache_tree(index_.cache_tree, changed_);
    if (paths_came_or_went_) index_.untracked_cache = emptied_untracked_cache(base::as_bytes(index_.untracked_cache));
    if (rules_.drop_resolve_undo) index_.resolve_undo.clear();
  }

 private:
  void keep(const IndexEntry& entry) {
    if (entry.stage == 0 || !rules_.drop_conflicts) {
      entries_.push_back(entry);
    } else {
      note_changed(entry.path);
      paths_came_or_went_ = true;
    }
  }

  void replace(const EntryUpdate& update, const IndexEntry* merged, bool was_there) {
    const bool same = merged != nullptr && merged->mode == update.target.mode && merged->id == update.target.id;
    if (!same) note_changed(update.path);
    if (was_there != static_cast<bool>(update.target)) paths_came_or_went_ = true;
    if (!update.target) return;
    IndexEntry entry = same ? *merged : IndexEntry{};
    entry.path = merged != nullptr ? merged->path : index_.paths.keep(update.path);
    entry.mode = update.target.mode;
    entry.id = update.target.id;
    entry.stat = update.stat;
    entry.skip_worktree = merged != nullptr && merged->skip_worktree;
    entry.fsmonitor_valid = false;
    entries_.push_back(entry);
  }

  void note_changed(std::string_view path) {
    if (changed_.empty() || changed_.back() != path) changed_.emplace_back(path);
  }

  Index& index_;
  const IndexUpdateRules& rules_;
  std::vector<IndexEntry> entries_;
  std::vector<std::string> changed_;
  bool paths_came_or_went_ = false;
};

}  // namespace

void update_index(Index& index, std::span<const EntryUpdate> updates, const IndexUpdateRules& rules) {
  Rebuild(index, rules).run(updates);
}

}  // namespace pfetch::checkout
