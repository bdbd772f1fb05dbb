// Which roots of our own boundary nothing needs (--prune-shallow, fetch.pruneShallow).
#pragma once

#include <span>
#include <vector>

#include "graph/reachability.h"
#include "shallow/shallow_file.h"

namespace pfetch::shallow {

// The roots that none of `tips` reaches, ascending: what ShallowEdit::remove may have. `tips` is everything that keeps
// history alive: all refs, both sides of every reflog entry, and of each worktree HEAD, its other special refs, and the
// commits that its index names. `reachability` is over history cut at all of `own`; so a root that lies behind another
// one is needed by nothing, unless it is reached on another way.
//
// To be asked under the lock, with ShallowLock::current() and tips read after it was taken. One thread; throws what
// `reachability` throws.
std::vector<object::Oid> unneeded_roots(const ShallowFile& own, std::span<const object::Oid> tips,
                                        graph::Reachability& reachability);

}  // namespace pfetch::shallow
