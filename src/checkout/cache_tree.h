// The extension TREE of an index, the cache tree: which trees the entries are known to make (gitformat-index, "Cache
// tree"). CacheTreeNode (checkout/index_file) describes the flat list in pre-order that stands for it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "checkout/index_file.h"
#include "object/object_source.h"

namespace pfetch::checkout {

// The nodes, whose names point into `content`; nullopt when it is malformed.
std::optional<std::vector<CacheTreeNode>> parse_cache_tree(base::Bytes content);

// Calls `visit` for each node with the path of its directory: "" or ending in '/', valid during the call.
using CacheTreeVisitor = std::function<void(std::size_t node, std::string_view directory)>;
void visit_cache_tree(std::span<const CacheTreeNode> nodes, const CacheTreeVisitor& visit);

// The entries below a directory ("" or ending in '/'), which are neighbours: entries must be in order.
std::span<const IndexEntry> entries_below(std::span<const IndexEntry> entries, std::string_view directory);

// Whether each node that is known has as many entries as it says, all of them merged. A cache tree that does not fit
// must not be used: it may have been made for other entries.
bool cache_tree_fits(std::span<const CacheTreeNode> nodes, std::span<const IndexEntry> entries);

// Marks every directory above one of the paths as not known. The paths are those whose entry was added, removed or has
// another id or mode now, in ascending order.
void invalidate_cache_tree(std::span<CacheTreeNode> nodes, std::span<const std::string> changed_paths);

// The cache tree of a finished index whose entries come from `tree`, the one that was checked out, but for what was
// staged. `known` must hold for these entries: it is the old cache tree, after invalidate_cache_tree with what the
// checkout changed. What it knows is taken over unread. Of the other directories those become known whose entries have
// the modes and ids that the tree has there; the rest are marked as not known, as git leaves them too, or left out when
// the tree has no such directory. With no `known`, the result is that of the tree alone.
//
// Costs a look at each tree whose directory is not known: those above what changed. Names are borrowed from the
// entries' paths and from `known`. Throws ErrorCode::corrupt for a tree that is missing or broken.
std::vector<CacheTreeNode> refresh_cache_tree(std::span<const IndexEntry> entries, std::span<const CacheTreeNode> known,
                                              object::ObjectSource& objects, const std::optional<object::Oid>& tree);

}  // namespace pfetch::checkout
