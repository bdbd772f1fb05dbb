// What differs between two trees, or between an index and a tree, path by path.
//
// Subtrees with the same id are not read: the cost is that of the difference. Names come from outside: each is checked
// by the rules of the plan (checkout/plan) before anything else sees it. Errors: ErrorCode::refused for a name that
// must not be written or for too many of them, ErrorCode::corrupt for a tree that is broken or missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "checkout/index.h"
#include "checkout/path_store.h"
#include "checkout/plan.h"
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
  std::vector<PathChange> paths;  // by the bytes of the path, each once; before and after differ
  PathStore names;
};

// Both are trees; nullopt is an empty one. Only `after` is judged by `rules`.
TreeChanges compare_trees(object::ObjectSource& objects, const std::optional<object::Oid>& before,
                          const std::optional<object::Oid>& after, const PlanRules& rules);

// `before` is what the index has at stage 0. A path in conflict counts as changed even where the tree has what one
// stage has: `before` is then empty. Directories whose tree is known from the cache tree and is the wanted one are
// passed over.
TreeChanges compare_index(object::ObjectSource& objects, const Index& index, const std::optional<object::Oid>& after,
                          const PlanRules& rules);

}  // namespace pfetch::checkout
