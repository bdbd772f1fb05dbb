// The index after a checkout: entries replaced, added and dropped, and what depends on them kept right.
#pragma once

#include <span>
#include <string_view>

#include "checkout/index.h"
#include "checkout/tree_changes.h"

namespace pfetch::checkout {

struct EntryUpdate {
  std::string_view path;
  TreeSide target;   // nothing: every entry of the path goes
  IndexStat stat{};  // all zero: whoever reads the index looks at the file itself
};

struct IndexUpdateRules {
  bool drop_conflicts = false;     // entries in conflict that no update names go, too
  bool drop_resolve_undo = false;  // what `git checkout -m` could bring back is of no use any more
};

// `updates` in the order of their paths, each once. The paths may go away afterwards. The cache tree does not know the
// directories above changed paths any more; the untracked cache is emptied when paths came or went; the file system
// monitor is not trusted about what was written.
void update_index(Index& index, std::span<const EntryUpdate> updates, const IndexUpdateRules& rules);

}  // namespace pfetch::checkout
