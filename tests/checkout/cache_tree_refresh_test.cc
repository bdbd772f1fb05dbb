#include <gtest/gtest.h>

#include "checkout/cache_tree.h"
#include "store/reader.h"
#include "tests/checkout/index_worlds.h"
#include "tests/checkout/tree_world.h"
#include "tests/support/seeds.h"

namespace pfetch::checkout {
namespace {

// What is known of each directory: "a/b/ <entries> <id>", ascending; those that are not known as "a/b/ -1".
std::vector<std::string> words_of_nodes(const std::vector<CacheTreeNode>& nodes) {
  std::vector<std::string> lines;
  visit_cache_tree(nodes, [&](std::size_t node, std::string_view directory) {
    const bool known = nodes[node].entry_count >= 0;
    lines.push_back(fmt::format("{} {} {}", directory, nodes[node].entry_count, known ? nodes[node].id.hex() : ""));
  });
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> paths_that_differ(const Files& before, const Files& after) {
  Files all = before;
  all.insert(after.begin(), after.end());
  std::vector<std::string> paths;
  for (const auto& [path, either] : all) {
    const auto here = before.find(path), there = after.find(path);
    if (here == before.end() || there == after.end() || here->second != there->second) paths.push_back(path);
  }
  return paths;
}

TEST(CacheTreeRefresh, IsWholeWhereTheEntriesAreThoseOfTheTree) {
  for (unsigned seed = 0; seed < test::seed_count(200); ++seed) {
    TreeStore store;
    RandomFiles random(seed);
    const Files before = random.files(), after = random.changed(before);
    const Index old = index_of(before), index = index_of(after);
    const auto tree = store.add_tree(after);
    const auto expected = words_of_nodes(whole_cache_tree(store, index));
    ASSERT_EQ(words_of_nodes(refresh_cache_tree(index.entries, {}, store, tree)), expected) << seed;
    std::vector<CacheTreeNode> known = whole_cache_tree(store, old);
    invalidate_cache_tree(known, paths_that_differ(before, after));
    ASSERT_EQ(words_of_nodes(refresh_cache_tree(index.entries, known, store, tree)), expected) << seed;
  }
}

TEST(CacheTreeRefresh, ClaimsNothingOfEntriesThatDiffer) {
  for (unsigned seed = 0; seed < test::seed_count(200); ++seed) {
    TreeStore store;
    RandomFiles random(seed);
    const Files wanted = random.files(), staged = random.changed(wanted);
    const Index index = index_of(staged);
    std::vector<CacheTreeNode> known = whole_cache_tree(store, index);
    for (CacheTreeNode& node : known) {
      if (node.name.empty() || random.below(2) == 0) node.entry_count = -1;
    }
    const auto nodes = refresh_cache_tree(index.entries, known, store, store.add_tree(wanted));
    const auto truth = words_of_nodes(whole_cache_tree(store, index));
    ASSERT_TRUE(cache_tree_fits(nodes, index.entries)) << seed;
    for (const std::string& line : words_of_nodes(nodes)) {
      if (line.find(" -1 ") != std::string::npos) continue;
      ASSERT_TRUE(std::binary_search(truth.begin(), truth.end(), line)) << seed << " " << line;
    }
  }
}

TEST(CacheTreeRefresh, ReadsOnlyTreesAboveWhatChanged) {
  TreeStore store;
  const Files before = thousand_files("d3/e4/extra"), after = thousand_files("d3/e4/other");
  const Index old = index_of(before), index = index_of(after);
  std::vector<CacheTreeNode> known = whole_cache_tree(store, old);
  invalidate_cache_tree(known, paths_that_differ(before, after));
  const auto tree = store.add_tree(after);
  store.reads = 0;
  const auto nodes = refresh_cache_tree(index.entries, known, store, tree);
  EXPECT_EQ(store.reads, 3U);
  EXPECT_EQ(nodes.size(), 111U);
  EXPECT_EQ(nodes.front().id, tree);
  store.reads = 0;
  EXPECT_EQ(words_of_nodes(refresh_cache_tree(index.entries, nodes, store, tree)), words_of_nodes(nodes));
  EXPECT_EQ(store.reads, 0U);
}

TEST(CacheTreeRefresh, DoesNotKnowWhatIsNotMergedOrOutOfOrder) {
  TreeStore store;
  const TreeSide x = file_side("x");
  Index index = index_of({{"a/x", x}, {"b/x", x}, {"c/x", x}});
  const auto tree = store.add_tree({{"a/x", x}, {"b/x", x}, {"c/x", x}});
  index.entries[0].stage = 1;
  index.entries[1].intent_to_add = true;
  const auto nodes = refresh_cache_tree(index.entries, {}, store, tree);
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].entry_count, -1);
  EXPECT_EQ(nodes[1].entry_count, -1);
  EXPECT_EQ(nodes[2].entry_count, -1);
  EXPECT_EQ(nodes[3].entry_count, 1);

  const Index sorted = index_of({{"a", x}, {"b", x}});
  const auto odd = store.add_raw_tree(test::tree_entry("100644", "b", x.id) + test::tree_entry("100644", "a", x.id));
  EXPECT_EQ(refresh_cache_tree(sorted.entries, {}, store, odd).front().entry_count, -1);
  // A directory without entries is not in the index, so they do not make this tree.
  const auto hollow = store.add_raw_tree(test::tree_entry("100644", "a", x.id) + test::tree_entry("100644", "b", x.id) +
                                         test::tree_entry("40000", "c", store.add_raw_tree("")));
  EXPECT_EQ(refresh_cache_tree(sorted.entries, {}, store, hollow).front().entry_count, -1);
}

// --- beside git

object::Oid id_of(const IndexWorld& world, const std::string& name) {
  return object::Oid::from_hex(world.run("git rev-parse " + name)).value();
}
Files files_of(const Index& index) {
  Files files;
  for (const IndexEntry& entry : index.entries) files[std::string(entry.path)] = {entry.mode, entry.id};
  return files;
}

struct Change {
  const char* what;
  const char* commit;  // makes the branch `to`
  const char* stage;   // what is staged before the switch
};

const Change changes[] = {
    {"one file", "echo 2 > b/c/one", ""},
    {"a new directory", "mkdir -p b/new/deep; echo 2 > b/new/deep/f", ""},
    {"a directory goes", "git rm -qr b", ""},
    {"a file for a directory", "git rm -qr b; echo 2 > b", ""},
    {"everything", "git rm -qr .; echo 2 > alone", ""},
    {"a staged file", "echo 2 > b/c/one", "echo 3 > a/one; git add a/one"},
    {"a staged file beside", "echo 2 > b/c/one", "echo 3 > b/c/two; git add b"},
    {"a staged directory", "echo 2 > b/c/one", "mkdir n; echo 3 > n/f; git add n"},
    {"a staged directory that was written", "echo 2 > b/c/one", "mkdir n; echo 3 > n/f; git add n; git write-tree"},
};

TEST(CacheTreeRefresh, IsWhatGitWritesAfterASwitch) {
  for (const Change& change : changes) {
    SCOPED_TRACE(change.what);
    const IndexWorld world(std::string("git checkout -q -b to;") + change.commit +
                           "; git add -A; git commit -qm to; git checkout -q main;" + change.stage);
    const Index old = world.read();
    world.run("git checkout -q to");
    Index index = world.read();
    const auto expected = words_of_nodes(index.cache_tree);

    store::Reader objects({world.git_dir() + "/objects"});
    std::vector<CacheTreeNode> known = old.cache_tree;
    invalidate_cache_tree(known, paths_that_differ(files_of(old), files_of(index)));
    index.cache_tree = refresh_cache_tree(index.entries, known, objects, id_of(world, "to^{tree}"));
    // Where nothing was staged, git's is whole, and so is ours. What git found out about staged directories by hashing
    // them may be unknown to us; never the other way round.
    for (const std::string& line : words_of_nodes(index.cache_tree)) {
      if (line.find(" -1 ") != std::string::npos) continue;
      EXPECT_TRUE(std::binary_search(expected.begin(), expected.end(), line)) << line;
    }
    if (*change.stage == '\0') {
      EXPECT_EQ(words_of_nodes(index.cache_tree), expected);
    }

    const std::string listing = world.git("ls-files -s"), tree = world.git("write-tree");
    const std::string status = world.git("status --porcelain");
    world.write(index);
    EXPECT_EQ(world.git("ls-files -s"), listing);
    EXPECT_EQ(world.git("status --porcelain"), status);
    EXPECT_EQ(world.git("write-tree"), tree);
    world.run("git fsck --strict");
  }
}

}  // namespace
}  // namespace pfetch::checkout
