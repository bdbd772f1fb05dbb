// Brings index and worktree from one tree to another, or single paths to what the index or a tree has, for checkout and
// reset. Nothing is written before everything was looked at; the index is published last, under its lock.
//
// One thread calls; the work is done by many. Errors: ErrorCode::exists for an index that is locked, what
// checkout/index_reader, tree_changes and updater throw; ErrorCode::unsupported for a sparse worktree;
// ErrorCode::remote when a required filter failed, once everything else is done.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "checkout/filter_process.h"
#include "object/object_source.h"
#include "object/pathspec.h"
#include "repo/repository.h"
#include "session/progress.h"
#include "session/reporter.h"

namespace pfetch::session {

// Why nothing was changed: paths, in order. Empty lists: nothing stands against it.
struct SwitchRefusal {
  std::vector<std::string> unmerged;               // the index has them in conflict
  std::vector<std::string> staged_changes;         // the index has them otherwise than both trees
  std::vector<std::string> local_changes;          // their files are otherwise than the index says
  std::vector<std::string> untracked_overwritten;  // untracked files that would be overwritten
  std::vector<std::string> untracked_removed;      // untracked files that would be removed
  std::vector<std::string> directories;            // untracked files below them would be lost

  bool empty() const {
    return unmerged.empty() && staged_changes.empty() && local_changes.empty() && untracked_overwritten.empty() &&
           untracked_removed.empty() && directories.empty();
  }
};

// A path that index or worktree have otherwise than the tree that is checked out now, as `git diff --name-status` says.
struct LocalChange {
  char letter = 'M';  // A, D, M, T, U
  std::string path;
};

struct SwitchOutcome {
  SwitchRefusal refusal;                   // not empty: nothing was changed
  std::vector<LocalChange> local_changes;  // in order; what a quiet switch need not know is not looked for
  std::vector<std::string> collided;       // all members of each group of paths that share a name
  std::size_t lost = 0;                    // files that something stood in the way of, each reported: exit code 1
  std::uint64_t files_written = 0;
  std::uint64_t files_removed = 0;
  std::uint64_t bytes_written = 0;
  unsigned workers = 0;        // the most that wrote at once
  std::string workers_reason;  // why so many
};

struct SwitchOptions {
  bool force = false;               // local changes and conflicts are thrown away, untracked files overwritten
  bool overwrite_ignored = true;    // --overwrite-ignore
  bool want_local_changes = true;   // fill in SwitchOutcome::local_changes
  checkout::FilterOrigin origin{};  // for long-running filters
};

struct SwitchContext {
  const repo::Repository& repository;
  object::ObjectSource& objects;
  Reporter& reporter;
  Progress& progress;
  base::Cancellation& cancel;
};

// Trees, or what leads to them (commits, tags). `from`: what is checked out; nullopt: an unborn branch.
SwitchOutcome switch_worktree(const SwitchContext& context, const std::optional<object::Oid>& from,
                              const object::Oid& to, const SwitchOptions& options);

enum class ConflictSide { refuse, skip, ours, theirs };  // stages 2 and 3

struct PathsOptions {
  std::optional<object::Oid> tree;  // the content to take, into the index, too; nullopt: the index's own
  ConflictSide conflicts = ConflictSide::refuse;
  bool overlay = true;  // --no-overlay: tracked paths that match and are not in the tree are removed
  checkout::FilterOrigin origin{};
};

struct PathsOutcome {
  std::vector<std::string> unmatched;     // pathspecs that match nothing known: nothing was changed
  std::vector<std::string> unmerged;      // paths in conflict: nothing was changed
  std::vector<std::string> without_side;  // paths in conflict without the side that was asked for: nothing was changed
  std::uint64_t updated = 0;              // files
  std::size_t lost = 0;
};

PathsOutcome checkout_paths(const SwitchContext& context, const object::Pathspec& pathspec,
                            const PathsOptions& options);

}  // namespace pfetch::session
