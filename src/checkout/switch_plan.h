// What has to happen to index and worktree when another tree is checked out: the two-way merge of git-read-tree(1), of
// the tree that was checked out, the one that is wanted, and the index.
//
// Pure; it does not know the worktree. The plan's views point into the index and the changes.
#pragma once

#include <string_view>
#include <vector>

#include "checkout/index.h"
#include "checkout/tree_changes.h"

namespace pfetch::checkout {

struct PlannedPath {
  std::string_view path;
  TreeSide target;                      // nothing: the path goes away
  const IndexEntry* current = nullptr;  // stage 0 of the index; null: nothing is tracked there
};

struct SwitchPlan {
  // In the order of paths, each once. The file of a `current` entry must be as the entry says, or local changes would
  // be lost; where there is none, nothing may stand in the way of the target. A path with neither was staged as
  // deleted and is not wanted either: the index stays as it is, and a file that is there is an untracked one that would
  // be removed, which git refuses.
  std::vector<PlannedPath> paths;
  // Paths whose index entry is neither what was checked out nor what is wanted: local changes stand against the
  // change. In order. Among them are staged entries, in neither tree, below a path that becomes a file: git lets them
  // go without a word when their files are clean.
  std::vector<std::string_view> refused;
  // Staged files, in neither tree, where the wanted tree has a directory. In order. When such a file is in the
  // worktree, git calls it an untracked one that would be overwritten; when it is not, git drops the entry without a
  // word. Those who find nothing in the way of `paths` in the worktree must still refuse because of these.
  std::vector<std::string_view> in_the_way;
};

// `changes` lead from the tree that was checked out to the wanted one. All entries that they do not name stay as they
// are. The index must have no path in conflict. Where there is no index yet, git takes all of the wanted tree:
// `changes` must then lead from nothing.
//
// Costs a few lookups for each change, however large the index is.
SwitchPlan plan_switch(const Index& index, const TreeChanges& changes);

// `changes` lead from the index to the wanted tree (compare_index), whatever was checked out: nothing is refused. A
// path in conflict has no `current`.
SwitchPlan plan_reset(const Index& index, const TreeChanges& changes);

}  // namespace pfetch::checkout
