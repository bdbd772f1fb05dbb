// What differs between two trees, or between an index and a tree, path by path.
//
// Subtrees with the same id are not read: the cost is that of the difference. Names come from outside: each one that
// differs is checked by the rules of the plan (checkout/plan_rules) before anything else sees it. A tree whose entries
// are out of order, or have slashes in their names, is listed and sorted first, at the cost of the whole tree.
//
// One thread. Errors: ErrorCode::refused for a name that must not be written or for too many of them,
// ErrorCode::corrupt for a wanted tree that has a path twice, and for any tree that is broken or missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "checkout/index.h"
#include "checkout/path_store.h"
#include "checkout/plan_rules.h"
#include "object/object_source.h"

namespace pfetch::checkout {

// What a tree has at a path. Trees themselves never stand for a path: what is below them does.
struct TreeSide {
  std::uint32_t mode = 0;  // canonical; 0: nothing
  object::Oid id;

  explicit operator bool() const { return mode != 0; }
  friend bool operator==(const TreeSide&, const TreeSide&) = default;
};

struct PathChange {
  std::string_view path;
  TreeSide before;
  TreeSide after;
};

struct TreeChanges {
  std::vector<PathChange> paths;  // by the bytes of the path, each once
  PathStore names;
};

// Both are trees; nullopt is an empty one. `before` and `after` of a path differ. A file that becomes a directory gives
// its own path without an `after`, and those below without a `before`. Of the tree before, only the number of paths is
// judged, and those that are too long for any file are left out.
TreeChanges compare_trees(object::ObjectSource& objects, const std::optional<object::Oid>& before,
                          const std::optional<object::Oid>& after, const PlanRules& rules);

// `before` is what the index has at stage 0. A path in conflict, or with "intent to add", always counts as changed,
// with an empty `before`, whether the tree has it or not. Directories that the cache tree knows to be the wanted tree
// are passed over; the cache tree must fit the entries. ErrorCode::unsupported for an index with sparse directories.
TreeChanges compare_index(object::ObjectSource& objects, const Index& index, const std::optional<object::Oid>& after,
                          const PlanRules& rules);

}  // namespace pfetch::checkout
