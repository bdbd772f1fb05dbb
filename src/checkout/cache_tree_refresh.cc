// The cache tree of a finished index.
#include <string>
#include <utility>

#include "checkout/cache_tree.h"
#include "checkout/cache_tree_lookup.h"
#include "checkout/tree_cursor.h"

namespace pfetch::checkout {

namespace {

class Refresh {
 public:
  Refresh(std::span<const CacheTreeNode> known, object::ObjectSource& objects) : known_(known), objects_(objects) {}

  // Adds the node `name` and those below it: of the directory that the walk is in, whose entries these are. True when
  // they are just what `tree` has.
  bool add(std::string_view name, std::span<const IndexEntry> entries, CacheTreeLookup::Place old,
           const std::optional<object::Oid>& tree) {
    const std::size_t node = nodes_.size();
    nodes_.push_back({name, -1, 0, {}});
    const CacheTreeLookup::Children children = known_.children(old);
    bool odd = false;
    TreeCursor at(objects_, tree, odd);
    bool same = tree.has_value();
    for (std::span<const IndexEntry> rest = entries; !rest.empty();) {
      const IndexEntry& entry = rest.front();
      const std::string_view tail = entry.path.substr(directory_.size());
      const std::string_view component = tail.substr(0, tail.find('/'));
      const bool is_directory = component.size() != tail.size();
      const object::TreeEntry in_tree = take(at, component, is_directory, same);
      if (is_directory) {
        same = add_directory(component, rest, children.find(component), in_tree, node) && same;
      } else {
        same = same && entry.stage == 0 && !entry.intent_to_add && entry.id == in_tree.id() &&
               object::canonical_mode(entry.mode) == object::canonical_mode(in_tree.mode);
        rest = rest.subspan(1);
      }
    }
    same = same && at.entry() == nullptr && !odd;
    if (same) {
      nodes_[node].entry_count = static_cast<std::int64_t>(entries.size());
      nodes_[node].id = *tree;
    }
    return same;
  }

  std::vector<CacheTreeNode> take_nodes() { return std::move(nodes_); }

 private:
  // The tree's entry of this name, without an id if there is none. What comes before it is in the tree alone.
  static object::TreeEntry take(TreeCursor& at, std::string_view name, bool is_directory, bool& same) {
    while (at.entry() != nullptr) {
      const object::TreeEntry entry = *at.entry();
      const int order = object::compare_tree_names(entry.name, entry.is_tree(), name, is_directory);
      if (order > 0) break;
      at.advance();
      if (order == 0) return entry;
      same = false;
    }
    same = false;
    return {};
  }

  // Takes the entries below the directory `name` from the front of `rest`. True when the tree has the same there.
  bool add_directory(std::string_view name, std::span<const IndexEntry>& rest, CacheTreeLookup::Place old,
                     const object::TreeEntry& in_tree, std::size_t parent) {
    const std::size_t size = directory_.size();
    directory_.append(name).append("/");
    const auto below = entries_below(rest, directory_);
    rest = rest.subspan(below.size());
    bool same = false;
    if (const auto id = known_.id(old)) {
      const auto subtree = known_.subtree(old);
      nodes_.insert(nodes_.end(), subtree.begin(), subtree.end());
      ++nodes_[parent].subtree_count;
      same = in_tree.raw_id != nullptr && in_tree.is_tree() && in_tree.id() == *id;
    } else if (in_tree.raw_id != nullptr && in_tree.is_tree()) {
      ++nodes_[parent].subtree_count;
      same = add(name, below, old, in_tree.id());  // as deep as a path is long
    }
    directory_.resize(size);
    return same;
  }

  const CacheTreeLookup known_;
  object::ObjectSource& objects_;
  std::string directory_;  // empty, or with a slash at its end
  std::vector<CacheTreeNode> nodes_;
};

}  // namespace

std::vector<CacheTreeNode> refresh_cache_tree(std::span<const IndexEntry> entries, std::span<const CacheTreeNode> known,
                                              object::ObjectSource& objects, const std::optional<object::Oid>& tree) {
  if (!known.empty() && known.front().entry_count >= 0) return {known.begin(), known.end()};
  Refresh refresh(known, objects);
  refresh.add({}, entries, CacheTreeLookup::top, tree);
  return refresh.take_nodes();
}

}  // namespace pfetch::checkout
