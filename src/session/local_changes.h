// What index and worktree have otherwise than the tree that is checked out, as `git diff-index` lists it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "checkout/tree_changes.h"
#include "checkout/worktree_state.h"
#include "session/worktree_switch.h"

namespace pfetch::session {

// A file of the worktree that is not as its index entry says.
struct UncleanFile {
  std::string_view path;
  checkout::FileState state;
};

// `staged`: from the index to the tree. Both in the order of paths, as is the result.
std::vector<LocalChange> list_local_changes(std::span<const checkout::PathChange> staged,
                                            std::span<const UncleanFile> unclean);

}  // namespace pfetch::session
