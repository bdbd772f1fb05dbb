// Finds the nodes of a cache tree by the names of their directories, level by level: for walks that would pass over
// directories whose tree is known.
//
// Made once, in one pass over the nodes; then each directory that is entered costs its own subdirectories. The nodes
// must outlive it and be whole: each subtree that is counted is there, as parse_cache_tree sees to. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "checkout/index_file.h"

namespace pfetch::checkout {

class CacheTreeLookup {
 public:
  explicit CacheTreeLookup(std::span<const CacheTreeNode> nodes);

  using Place = std::uint32_t;  // the number of a node
  static constexpr Place top = 0;
  static constexpr Place none = static_cast<Place>(-1);

  // The tree that the entries below the directory make, if that is known; nullopt for `none` too.
  std::optional<object::Oid> id(Place node) const;
  // The node with everything below it; none of `none`.
  std::span<const CacheTreeNode> subtree(Place node) const;

  class Children {
   public:
    Place find(std::string_view name) const;  // or none

   private:
    friend class CacheTreeLookup;
    std::vector<std::pair<std::string_view, Place>> places_;  // ascending
  };
  Children children(Place node) const;

 private:
  bool has(Place node) const { return node < nodes_.size(); }

  std::span<const CacheTreeNode> nodes_;
  std::vector<Place> ends_;  // of each node: the first that is not below it
};

}  // namespace pfetch::checkout
