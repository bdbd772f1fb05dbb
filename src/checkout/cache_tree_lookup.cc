#include "checkout/cache_tree_lookup.h"

#include <algorithm>

namespace pfetch::checkout {

CacheTreeLookup::CacheTreeLookup(std::span<const CacheTreeNode> nodes) : nodes_(nodes), ends_(nodes.size()) {
  for (std::size_t node = nodes.size(); node-- > 0;) {
    std::size_t end = node + 1;
    for (std::uint32_t i = 0; i < nodes[node].subtree_count && end < nodes.size(); ++i) end = ends_[end];
    ends_[node] = static_cast<Place>(end);
  }
}

std::optional<object::Oid> CacheTreeLookup::id(Place node) const {
  if (!has(node) || nodes_[node].entry_count < 0) return std::nullopt;
  return nodes_[node].id;
}

std::span<const CacheTreeNode> CacheTreeLookup::subtree(Place node) const {
  if (!has(node)) return {};
  return nodes_.subspan(node, ends_[node] - node);
}

CacheTreeLookup::Children CacheTreeLookup::children(Place node) const {
  Children children;
  if (!has(node)) return children;
  for (Place below = node + 1; below < ends_[node]; below = ends_[below]) {
    children.places_.emplace_back(nodes_[below].name, below);
  }
  std::sort(children.places_.begin(), children.places_.end());
  return children;
}

CacheTreeLookup::Place CacheTreeLookup::Children::find(std::string_view name) const {
  const auto at =
      std::partition_point(places_.begin(), places_.end(), [&](const auto& place) { return place.first < name; });
  return at != places_.end() && at->first == name ? at->second : none;
}

}  // namespace pfetch::checkout
