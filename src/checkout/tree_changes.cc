#include "checkout/tree_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "checkout/cache_tree_lookup.h"
#include "checkout/tree_cursor.h"
#include "checkout/tree_list.h"

namespace pfetch::checkout {

namespace {

using object::TreeEntry;

// One component of a path, to be compared with an entry of a tree.
struct Component {
  std::string_view name;
  bool is_directory = false;

  explicit Component(std::string_view rest_of_path) : name(rest_of_path.substr(0, rest_of_path.find('/'))) {
    is_directory = name.size() != rest_of_path.size();
  }
  int compare(const TreeEntry& entry) const {
    return object::compare_tree_names(name, is_directory, entry.name, entry.is_tree());
  }
};

// What the walks have in common: a path that grows and shrinks, and the changes found so far.
class Walk {
 public:
  Walk(object::ObjectSource& objects, const PlanRules& rules) : objects_(objects), after_(rules), before_(rules) {}

  // False when a tree was met whose order cannot be relied on: the changes found are then not the right ones.
  bool in_order() const { return !odd_; }
  TreeChanges take() { return std::move(changes_); }

 protected:
  void add(std::string_view name, const TreeSide& before, const TreeSide& after) {
    changes_.paths.push_back({changes_.names.keep(directory_, name), before, after});
  }
  // Runs `walk` with the directory `name` as the one that the walk is in.
  template <typename Below>
  void enter(std::string_view name, Below walk) {
    const std::size_t size = directory_.size();
    directory_.append(name).append("/");
    walk();  // as deep as a path is long: bounded by path_bytes_max
    directory_.resize(size);
  }

  object::ObjectSource& objects_;
  WantedNames after_;
  FormerNames before_;
  std::string directory_;  // empty, or with a slash at its end
  bool odd_ = false;

 private:
  TreeChanges changes_;
};

class TreeAndTree : public Walk {
 public:
  using Walk::Walk;

  void walk(const std::optional<object::Oid>& before, const std::optional<object::Oid>& after) {
    TreeCursor old(objects_, before, odd_);
    TreeCursor wanted(objects_, after, odd_);
    while (!odd_ && (old.entry() != nullptr || wanted.entry() != nullptr)) {
      const int order = compare(old.entry(), wanted.entry());
      visit(order <= 0 ? old.entry() : nullptr, order >= 0 ? wanted.entry() : nullptr);
      if (order <= 0) old.advance();
      if (order >= 0) wanted.advance();
    }
  }

 private:
  static int compare(const TreeEntry* old, const TreeEntry* wanted) {
    if (old == nullptr) return 1;
    if (wanted == nullptr) return -1;
    return object::compare_tree_names(old->name, old->is_tree(), wanted->name, wanted->is_tree());
  }

  // Either may be null; both have the same name and both are trees or both are not.
  void visit(const TreeEntry* old, const TreeEntry* wanted) {
    if (old != nullptr && wanted != nullptr && side_of(*old) == side_of(*wanted)) return;
    if (old != nullptr && !before_.admits(directory_, *old)) old = nullptr;
    if (wanted != nullptr) after_.admit(directory_, *wanted);
    if (old == nullptr && wanted == nullptr) return;
    const TreeEntry& either = old != nullptr ? *old : *wanted;
    if (!either.is_tree()) {
      add(either.name, side_of(old), side_of(wanted));
      return;
    }
    enter(either.name, [&] { walk(id_of(old), id_of(wanted)); });
  }

  static std::optional<object::Oid> id_of(const TreeEntry* entry) {
    return entry != nullptr ? std::optional(entry->id()) : std::nullopt;
  }
};

class IndexAndTree : public Walk {
 public:
  IndexAndTree(object::ObjectSource& objects, const PlanRules& rules, const Index& index)
      : Walk(objects, rules), known_(index.cache_tree) {}

  // `entries` are those below the directory that the walk is in, whose node of the cache tree is `node`.
  void walk(std::span<const IndexEntry> entries, CacheTreeLookup::Place node, const std::optional<object::Oid>& tree) {
    const CacheTreeLookup::Children children = known_.children(node);
    TreeCursor wanted(objects_, tree, odd_);
    while (!odd_ && (!entries.empty() || wanted.entry() != nullptr)) {
      const int order = compare(entries, wanted.entry());
      if (order < 0) {
        visit_path(entries, nullptr);
        continue;
      }
      const TreeEntry entry = *wanted.entry();
      wanted.advance();
      if (entry.is_tree()) {
        visit_directory(entries, children.find(entry.name), entry);
      } else if (order == 0) {
        visit_path(entries, &entry);
      } else {
        after_.admit(directory_, entry);
        add(entry.name, {}, side_of(entry));
      }
    }
  }

 private:
  int compare(std::span<const IndexEntry> entries, const TreeEntry* wanted) const {
    if (entries.empty()) return 1;
    if (wanted == nullptr) return -1;
    return Component(entries.front().path.substr(directory_.size())).compare(*wanted);
  }

  // Takes the entries of one path, which may lie in a directory that is not wanted, from the front of `entries`.
  void visit_path(std::span<const IndexEntry>& entries, const TreeEntry* wanted) {
    const std::string_view path = entries.front().path;
    const TreeSide before = side_of(entries.front());
    while (!entries.empty() && entries.front().path == path) entries = entries.subspan(1);
    if (wanted != nullptr && before == side_of(*wanted)) return;
    if (wanted != nullptr) after_.admit(directory_, *wanted);
    add(path.substr(directory_.size()), before, side_of(wanted));
  }

  void visit_directory(std::span<const IndexEntry>& entries, CacheTreeLookup::Place node, const TreeEntry& wanted) {
    enter(wanted.name, [&] {
      const auto end = std::partition_point(
          entries.begin(), entries.end(), [&](const IndexEntry& entry) { return entry.path.starts_with(directory_); });
      const auto below = entries.first(static_cast<std::size_t>(end - entries.begin()));
      entries = entries.subspan(below.size());
      if (known_.id(node) == wanted.id()) return;
      after_.admit(std::string_view(directory_).substr(0, directory_.size() - wanted.name.size() - 1), wanted);
      walk(below, node, wanted.id());
    });
  }

  const CacheTreeLookup known_;
};

// Both in the order of their paths.
TreeChanges compare_lists(const TreeList& before, const TreeList& after) {
  TreeChanges changes;
  auto old = before.paths.begin();
  auto wanted = after.paths.begin();
  while (old != before.paths.end() || wanted != after.paths.end()) {
    const bool take_old = old != before.paths.end() && (wanted == after.paths.end() || old->path <= wanted->path);
    const bool take_wanted = wanted != after.paths.end() && (old == before.paths.end() || wanted->path <= old->path);
    if (!take_old || !take_wanted || old->side != wanted->side) {
      changes.paths.push_back({changes.names.keep(take_old ? old->path : wanted->path),
                               take_old ? old->side : TreeSide(), take_wanted ? wanted->side : TreeSide()});
    }
    if (take_old) ++old;
    if (take_wanted) ++wanted;
  }
  return changes;
}

}  // namespace

TreeChanges compare_trees(object::ObjectSource& objects, const std::optional<object::Oid>& before,
                          const std::optional<object::Oid>& after, const PlanRules& rules) {
  if (before == after) return TreeChanges();
  TreeAndTree both(objects, rules);
  both.walk(before, after);
  if (both.in_order()) return both.take();
  return compare_lists(list_former(objects, before, rules), list_wanted(objects, after, rules));
}

TreeChanges compare_index(object::ObjectSource& objects, const Index& index, const std::optional<object::Oid>& after,
                          const PlanRules& rules) {
  if (index.sparse) {
    throw Error(ErrorCode::unsupported,
                "the index has sparse directories, which cannot be checked out here; "
                "'git sparse-checkout reapply --no-sparse-index' makes it whole");
  }
  if (!index.cache_tree.empty() && index.cache_tree.front().entry_count >= 0 && index.cache_tree.front().id == after) {
    return TreeChanges();
  }
  IndexAndTree both(objects, rules, index);
  both.walk(index.entries, CacheTreeLookup::top, after);
  if (both.in_order()) return both.take();
  return compare_lists(list_index(index), list_wanted(objects, after, rules));
}

}  // namespace pfetch::checkout
