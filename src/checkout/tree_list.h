// Trees as lists of paths: whole ones, for those whose own order cannot be relied on (checkout/tree_cursor), as
// checkout/tree_changes needs them; what a pathspec means of a tree; and the names of trees as they are judged on the
// way.
//
// One thread. Errors: those of checkout/tree_changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "checkout/index.h"
#include "checkout/path_store.h"
#include "checkout/plan_rules.h"
#include "checkout/tree_changes.h"
#include "object/object_source.h"
#include "object/pathspec.h"
#include "object/tree_view.h"

namespace pfetch::checkout {

inline TreeSide side_of(const object::TreeEntry& entry) {
  return {object::canonical_mode(entry.mode), entry.id()};
}
inline TreeSide side_of(const object::TreeEntry* entry) {
  return entry != nullptr ? side_of(*entry) : TreeSide();
}
// Nothing for a path in conflict, or one of which no content is known yet.
inline TreeSide side_of(const IndexEntry& entry) {
  if (entry.stage != 0 || entry.intent_to_add) return {};
  return {object::canonical_mode(entry.mode), entry.id};
}

// The names of a wanted tree, which must all obey the rules. `directory` is empty or ends in a slash.
class WantedNames {
 public:
  explicit WantedNames(const PlanRules& rules) : rules_(rules) {}
  void admit(std::string_view directory, const object::TreeEntry& entry);

 private:
  const PlanRules rules_;
  std::uint64_t count_ = 0;
};

// The names of a tree that was checked out. What is bad among them was never written, and must not keep anybody from
// leaving that tree: only their number is bounded.
class FormerNames {
 public:
  explicit FormerNames(const PlanRules& rules) : rules_(rules) {}
  // False for a path that no file can have because it is too long.
  bool admits(std::string_view directory, const object::TreeEntry& entry);

 private:
  const PlanRules rules_;
  std::uint64_t count_ = 0;
};

struct ListedPath {
  std::string_view path;
  TreeSide side;
};

struct TreeList {
  std::vector<ListedPath> paths;  // by the bytes of the path, each once
  PathStore names;
};

// Of a path that is there twice, the first stays.
TreeList list_former(object::ObjectSource& objects, const std::optional<object::Oid>& tree, const PlanRules& rules);
// Throws ErrorCode::corrupt for a path that is there twice, or is both a file and a directory.
TreeList list_wanted(object::ObjectSource& objects, const std::optional<object::Oid>& tree, const PlanRules& rules);
// As list_wanted, but only what the pathspec means; `attributes` tells of those that it asks for, if any. Trees in
// which that can be nothing are not read: they may be bad, or missing. Of a name that must not be written, only the
// paths are refused that are meant. What is looked at counts as a path, meant or not.
TreeList list_meant(object::ObjectSource& objects, const object::Oid& tree, const PlanRules& rules,
                    const object::Pathspec& pathspec, const object::PathspecAttributeTest& attributes = {});
// The paths are borrowed from the index.
TreeList list_index(const Index& index);

}  // namespace pfetch::checkout
