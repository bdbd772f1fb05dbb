// One change of index and worktree, from what was planned to the published index: shared by switching a tree and by
// checking single paths out (session/worktree_switch).
//
// Belongs to one thread. The order: construct (takes the index's lock, reads it, looks at all files), `apply`,
// `publish`. Until `apply` nothing was changed; dropped before `publish`, the old index stays.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock_file.h"
#include "checkout/ignore.h"
#include "checkout/index.h"
#include "checkout/index_update.h"
#include "checkout/obstacles.h"
#include "checkout/switch_plan.h"
#include "checkout/tree_changes.h"
#include "checkout/updater.h"
#include "checkout/worktree_state.h"
#include "session/worktree_tools.h"

namespace pfetch::session {

// What becomes of one path.
struct PathOrder {
  std::string_view path;
  checkout::TreeSide target;                      // nothing: it goes away
  const checkout::IndexEntry* current = nullptr;  // stage 0 of the index as it is
  checkout::Standing standing = checkout::Standing::nothing;
  bool index_only = false;     // the worktree is left alone
  bool worktree_only = false;  // the index is left alone
};

class WorktreeChange {
 public:
  explicit WorktreeChange(const SwitchContext& context);

  checkout::Index& index() { return index_; }
  checkout::WorktreeState& state() { return *state_; }
  WorktreeTools& tools() { return tools_; }

  // Examines every file of the index.
  void examine();

  // What is untracked in the way of a plan, together with what is `known` to be; sorted. `ignored_may_go`:
  // --overwrite-ignore.
  checkout::Obstacles find_obstacles(const checkout::SwitchPlan& plan, bool ignored_may_go, checkout::Obstacles known);
  // Whether untracked files are below a directory that stands where the index has a file.
  bool would_lose_files_below(const checkout::SwitchPlan& plan, std::string_view path);

  // Orders in the order of their paths, each once; they must stay until `publish`. Reports what could not be done.
  // `gives_way`: what else stands above a path where a directory is needed is removed.
  //
  // When it fails midway, or a signal stops it, the index is published as far as the work came: files that were written
  // are known, the others are still what they were, and the same command run again completes it. It fails for a
  // required filter, too, but only when all else is done. Where there was no index, all that was ordered is known, and
  // what could not be written looks deleted.
  void apply(const std::vector<PathOrder>& orders, bool gives_way, const checkout::FilterOrigin& origin);
  // Brings the index up to date with what was applied.
  void update_index(const checkout::IndexUpdateRules& rules);
  // Writes the index, and puts it in place. Nothing is written when it is as it was.
  void publish();

  std::size_t lost() const { return lost_; }  // files that something stood in the way of
  std::uint64_t files_written() const { return files_written_; }
  std::uint64_t files_removed() const { return files_removed_; }
  std::uint64_t bytes_written() const { return bytes_written_; }
  const std::vector<std::string>& collided() const { return collided_; }
  unsigned workers() const { return workers_; }
  const std::string& workers_reason() const { return workers_reason_; }

 private:
  checkout::IgnoreRules& ignored();  // read when they are first needed
  void reserve_index_space(std::size_t orders);
  void carry_out(const std::vector<PathOrder>& orders, std::vector<checkout::FileUpdate>& updates,
                 checkout::Updater& updater, const checkout::FilterOrigin& origin);
  std::vector<checkout::FileUpdate> updates_for(const std::vector<PathOrder>& orders);
  void remove_files(const std::vector<PathOrder>& orders, checkout::Updater& updater);
  void tell_other_spellings(checkout::Collisions& in_the_way);
  void note_done(const std::vector<PathOrder>& orders, const std::vector<checkout::FileUpdate>& updates, bool all);
  void salvage(const std::vector<PathOrder>& orders, std::vector<checkout::FileUpdate>& updates,
               checkout::Updater& updater) noexcept;

  const SwitchContext& context_;
  WorktreeTools tools_;
  base::LockFile lock_;
  checkout::Index index_;
  std::unique_ptr<checkout::WorktreeState> state_;
  std::unique_ptr<checkout::IgnoreRules> ignore_rules_;
  std::vector<checkout::EntryUpdate> entry_updates_;
  bool index_changed_ = false;
  bool removed_all_ = false;  // of what was ordered
  std::size_t lost_ = 0;
  std::uint64_t files_written_ = 0;
  std::uint64_t files_removed_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::vector<std::string> collided_;
  unsigned workers_ = 0;
  std::string workers_reason_;
};

}  // namespace pfetch::session
