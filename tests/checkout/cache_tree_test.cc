#include "checkout/cache_tree.h"

#include <gtest/gtest.h>

namespace pfetch::checkout {
namespace {

constexpr std::string_view raw_id = "12345678901234567890";

std::string node(const std::string& name, const std::string& numbers, bool id = true) {
  std::string text = name + '\0' + numbers + '\n';
  if (id) text += raw_id;
  return text;
}

std::vector<IndexEntry> entries_of(const std::vector<std::string_view>& paths) {
  std::vector<IndexEntry> entries;
  for (const std::string_view path : paths) {
    entries.emplace_back();
    entries.back().path = path;
  }
  return entries;
}

// top: 5 entries, of which d has 3 and d/e 1; git sorts subtrees by the size of their names.
const std::vector<CacheTreeNode> sample = {{"", 5, 2, {}}, {"x", 1, 0, {}}, {"dd", 3, 1, {}}, {"e", 1, 0, {}}};
const std::vector<std::string_view> sample_paths = {"dd/a", "dd/e/f", "dd/z", "dd0", "x/y"};

std::vector<std::int64_t> counts_of(const std::vector<CacheTreeNode>& nodes) {
  std::vector<std::int64_t> counts;
  for (const CacheTreeNode& node : nodes) counts.push_back(node.entry_count);
  return counts;
}

TEST(CacheTree, ReadsNodesInPreOrder) {
  const std::string content = node("", "-1 2", false) + node("d", "3 1") + node("e", "1 0") + node("f", "0 0");
  const auto nodes = parse_cache_tree(base::as_bytes(content)).value();
  EXPECT_EQ(counts_of(nodes), (std::vector<std::int64_t>{-1, 3, 1, 0}));
  EXPECT_EQ(nodes[1].name, "d");
  EXPECT_EQ(nodes[1].subtree_count, 1U);
  EXPECT_EQ(nodes[3].id, object::Oid::from_raw(raw_id.data()));
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_FALSE(parse_cache_tree(base::as_bytes(content.substr(0, size)))) << size;
  }
}

TEST(CacheTree, RefusesWhatIsMalformed) {
  for (const std::string& content :
       {node("top", "1 0"), node("", "1 0") + node("d", "1 0"), node("", "1 1") + node("", "1 0"),
        node("", "1 1") + node("a/b", "1 0"), node("", "1 -1"), node("", "1 4294967296"), node("", "x 0"),
        node("", "1  0"), node("", "99999999999999999999 0"), node("", "1 1")}) {
    EXPECT_FALSE(parse_cache_tree(base::as_bytes(content))) << content;
  }
}

TEST(CacheTree, VisitsDirectoriesByTheirPaths) {
  std::vector<std::string> directories;
  visit_cache_tree(sample, [&](std::size_t node, std::string_view directory) {
    EXPECT_EQ(node, directories.size());
    directories.emplace_back(directory);
  });
  EXPECT_EQ(directories, (std::vector<std::string>{"", "x/", "dd/", "dd/e/"}));
}

TEST(CacheTree, FitsItsOwnEntriesAlone) {
  std::vector<IndexEntry> entries = entries_of(sample_paths);
  EXPECT_TRUE(cache_tree_fits(sample, entries));
  entries[1].stage = 2;
  EXPECT_FALSE(cache_tree_fits(sample, entries));
  entries[1].stage = 0;
  entries[1].intent_to_add = true;
  EXPECT_FALSE(cache_tree_fits(sample, entries));
  EXPECT_FALSE(cache_tree_fits(sample, entries_of({"dd/a", "dd/e/f", "dd/z", "dd0", "dd0/a"})));
  EXPECT_FALSE(cache_tree_fits(sample, entries_of({"dd/a", "dd/e/f", "dd/z", "x/y"})));
  std::vector<CacheTreeNode> unknown = sample;
  for (CacheTreeNode& node : unknown) node.entry_count = -1;
  EXPECT_TRUE(cache_tree_fits(unknown, entries_of({"a"})));
}

TEST(CacheTree, ForgetsTheDirectoriesAboveAChange) {
  const auto after = [](const std::vector<std::string>& changed) {
    std::vector<CacheTreeNode> nodes = sample;
    invalidate_cache_tree(nodes, changed);
    return counts_of(nodes);
  };
  EXPECT_EQ(after({}), (std::vector<std::int64_t>{5, 1, 3, 1}));
  EXPECT_EQ(after({"dd0"}), (std::vector<std::int64_t>{-1, 1, 3, 1}));
  EXPECT_EQ(after({"dd/a"}), (std::vector<std::int64_t>{-1, 1, -1, 1}));
  EXPECT_EQ(after({"dd/e/new", "x/y"}), (std::vector<std::int64_t>{-1, -1, -1, -1}));
}

}  // namespace
}  // namespace pfetch::checkout
