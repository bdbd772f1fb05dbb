#include "checkout/cache_tree.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace pfetch::checkout {
namespace {

// The decimal number at the front of `rest`, which must end in `end`; `rest` is moved behind that.
std::optional<std::int64_t> take_number(std::string_view& rest, char end) {
  std::int64_t value = 0;
  const char* const stop = rest.data() + rest.size();
  const auto [after, trouble] = std::from_chars(rest.data(), stop, value);
  if (trouble != std::errc() || after == stop || *after != end) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(after - rest.data()) + 1);
  return value;
}

std::optional<CacheTreeNode> take_node(std::string_view& rest) {
  const std::size_t name_size = rest.find('\0');
  if (name_size == std::string_view::npos) return std::nullopt;
  CacheTreeNode node;
  node.name = rest.substr(0, name_size);
  rest.remove_prefix(name_size + 1);
  const auto entry_count = take_number(rest, ' ');
  if (!entry_count) return std::nullopt;
  const auto subtree_count = take_number(rest, '\n');
  if (!subtree_count || *subtree_count < 0 || *subtree_count > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  node.entry_count = std::max<std::int64_t>(*entry_count, -1);
  node.subtree_count = static_cast<std::uint32_t>(*subtree_count);
  if (node.entry_count < 0) return node;
  if (rest.size() < object::Oid::raw_size) return std::nullopt;
  node.id = object::Oid::from_raw(rest.data());
  rest.remove_prefix(object::Oid::raw_size);
  return node;
}

}  // namespace

std::optional<std::vector<CacheTreeNode>> parse_cache_tree(base::Bytes content) {
  std::string_view rest = base::as_text(content);
  std::vector<CacheTreeNode> nodes;
  for (std::uint64_t awaited = 1; awaited > 0; --awaited) {
    const auto node = take_node(rest);
    const bool is_top = nodes.empty();
    if (!node || node->name.empty() != is_top || node->name.find('/') != std::string_view::npos) return std::nullopt;
    awaited += node->subtree_count;
    nodes.push_back(*node);
  }
  if (!rest.empty()) return std::nullopt;
  return nodes;
}

void visit_cache_tree(std::span<const CacheTreeNode> nodes, const CacheTreeVisitor& visit) {
  struct Level {
    std::uint32_t left;  // subtrees to come
    std::size_t path_size;
  };
  std::vector<Level> levels;
  std::string directory;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    while (!levels.empty() && levels.back().left == 0) levels.pop_back();
    if (!levels.empty()) {
      --levels.back().left;
      directory.resize(levels.back().path_size);
      directory.append(nodes[i].name).append("/");
    }
    visit(i, directory);
    levels.push_back({nodes[i].subtree_count, directory.size()});
  }
}

std::span<const IndexEntry> entries_below(std::span<const IndexEntry> entries, std::string_view directory) {
  const auto begin = std::partition_point(entries.begin(), entries.end(),
                                          [&](const IndexEntry& entry) { return entry.path < directory; });
  const auto end = std::partition_point(begin, entries.end(),
                                        [&](const IndexEntry& entry) { return entry.path.starts_with(directory); });
  return {begin, end};
}

bool cache_tree_fits(std::span<const CacheTreeNode> nodes, std::span<const IndexEntry> entries) {
  // How many of the entries before each one are in conflict or not to be part of a tree.
  std::vector<std::uint32_t> outside = {0};
  outside.reserve(entries.size() + 1);
  for (const IndexEntry& entry : entries) {
    outside.push_back(outside.back() + (entry.stage != 0 || entry.intent_to_add ? 1 : 0));
  }
  bool fits = true;
  visit_cache_tree(nodes, [&](std::size_t node, std::string_view directory) {
    if (nodes[node].entry_count < 0 || !fits) return;
    const auto below = entries_below(entries, directory);
    const auto first = static_cast<std::size_t>(below.data() - entries.data());
    fits = static_cast<std::uint64_t>(nodes[node].entry_count) == below.size() &&
           outside[first] == outside[first + below.size()];
  });
  return fits;
}

void invalidate_cache_tree(std::span<CacheTreeNode> nodes, std::span<const std::string> changed_paths) {
  visit_cache_tree(nodes, [&](std::size_t node, std::string_view directory) {
    const auto first = std::lower_bound(changed_paths.begin(), changed_paths.end(), directory);
    if (first != changed_paths.end() && first->starts_with(directory)) nodes[node].entry_count = -1;
  });
}

}  // namespace pfetch::checkout
