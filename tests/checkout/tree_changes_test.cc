#include "checkout/tree_changes.h"

#include <gtest/gtest.h>

#include "tests/checkout/tree_world.h"
#include "tests/support/error_message.h"
#include "tests/support/seeds.h"

namespace pfetch::checkout {
namespace {

using test::error_message;
using test::tree_entry;

Lines changes_of(TreeStore& store, const Files& before, const Files& after) {
  return words_of(compare_trees(store, store.add_tree(before), store.add_tree(after), {}).paths);
}

TEST(TreeChanges, AreInTheOrderOfPathsWhereAFileBecomesADirectory) {
  TreeStore store;
  const TreeSide x = file_side("x"), y = file_side("y");
  const Files file = {{"a", x}, {"a.c", x}, {"a0", x}};
  const Files directory = {{"a.c", y}, {"a/b", x}, {"a/b.c", x}, {"a0", y}};
  const Lines lines = changes_of(store, file, directory);
  EXPECT_EQ(lines, expected_changes(file, directory));
  EXPECT_EQ(lines.front(), words_of(PathChange{"a", x, {}}));
  EXPECT_EQ(lines.size(), 5U);
  EXPECT_EQ(changes_of(store, directory, file), expected_changes(directory, file));
}

TEST(TreeChanges, SeeModesAndKinds) {
  TreeStore store;
  const Files before = {{"a", file_side("1")}, {"b", file_side("1")}, {"c", file_side("1")}, {"d", file_side("1")}};
  const Files after = {{"a", file_side("1", object::mode_executable)},
                       {"b", file_side("1", object::mode_symlink)},
                       {"c", file_side("1", object::mode_gitlink)},
                       {"d", file_side("1")}};
  EXPECT_EQ(changes_of(store, before, after).size(), 3U);
  // A mode that Git writes no more is the canonical one.
  const auto odd = store.add_raw_tree(tree_entry("100664", "d", some_id));
  const auto usual = store.add_raw_tree(tree_entry("100644", "d", some_id));
  EXPECT_TRUE(compare_trees(store, odd, usual, {}).paths.empty());
}

TEST(TreeChanges, OfNoTreeAreAllItsPaths) {
  TreeStore store;
  const Files files = {{"a/b/c", file_side("1")}, {"d", file_side("2")}};
  const auto tree = store.add_tree(files);
  EXPECT_EQ(words_of(compare_trees(store, std::nullopt, tree, {}).paths), expected_changes({}, files));
  EXPECT_EQ(words_of(compare_trees(store, tree, std::nullopt, {}).paths), expected_changes(files, {}));
  EXPECT_TRUE(compare_trees(store, std::nullopt, std::nullopt, {}).paths.empty());
}

TEST(TreeChanges, AreThoseOfTheListsOfPaths) {
  for (unsigned seed = 0; seed < test::seed_count(200); ++seed) {
    TreeStore store;
    RandomFiles random(seed);
    const Files before = random.files();
    const Files after = seed % 2 == 0 ? random.files() : random.changed(before);
    ASSERT_EQ(changes_of(store, before, after), expected_changes(before, after)) << "seed " << seed;
  }
}

TEST(TreeChanges, CostWhatTheDifferenceCosts) {
  TreeStore store;
  const auto before = store.add_tree(thousand_files("d3/e4/extra"));
  const auto after = store.add_tree(thousand_files("d3/e4/other"));
  EXPECT_EQ(compare_trees(store, before, after, {}).paths.size(), 2U);
  EXPECT_EQ(store.reads, 6U);  // the top, d3 and d3/e4 of both
  store.reads = 0;
  EXPECT_TRUE(compare_trees(store, after, after, {}).paths.empty());
  EXPECT_EQ(store.reads, 0U);
}

// --- what comes from outside

TEST(TreeChanges, RefuseABadNameInTheWantedTreeAlone) {
  TreeStore store;
  const auto bad = store.add_raw_tree(tree_entry("100644", ".git", some_id) + tree_entry("100644", "z", some_id));
  const auto below = store.add_raw_tree(tree_entry("40000", "d", bad));
  const auto good = store.add_tree({{"d/y", file_side("1")}});
  EXPECT_EQ(error_message([&] { compare_trees(store, good, below, {}); }, ErrorCode::refused),
            "invalid path 'd/.git': it names the directory .git");
  EXPECT_EQ(error_message([&] { compare_index(store, index_of({}), below, {}); }, ErrorCode::refused),
            "invalid path 'd/.git': it names the directory .git");
  EXPECT_EQ(compare_trees(store, below, good, {}).paths.size(), 3U);
}

TEST(TreeChanges, RefuseMorePathsThanThereMayBe) {
  TreeStore store;
  // Each tree names the one below ten times: 10^12 paths.
  auto after = store.add_tree({{"f", file_side("new")}});
  auto before = store.add_tree({{"f", file_side("old")}});
  for (int level = 0; level < 12; ++level) {
    std::string wanted, former;
    for (int i = 0; i < 10; ++i) {
      wanted += tree_entry("40000", std::to_string(i), after);
      former += tree_entry("40000", std::to_string(i), before);
    }
    after = store.add_raw_tree(wanted);
    before = store.add_raw_tree(former);
  }
  const PlanRules rules{.path_rules = {}, .paths_max = 1000};
  for (const auto& [from, to] : std::vector<std::pair<std::optional<object::Oid>, std::optional<object::Oid>>>{
           {std::nullopt, after}, {before, std::nullopt}, {before, after}}) {
    EXPECT_TRUE(error_message([&, from = from, to = to] { compare_trees(store, from, to, rules); }, ErrorCode::refused)
                    .starts_with("the tree has more than 1000 paths, '0/0/"));
  }
  EXPECT_NE(error_message([&] { compare_index(store, index_of({}), after, rules); }, ErrorCode::refused), "accepted");
}

TEST(TreeChanges, LeaveATreeWhosePathsAreTooLong) {
  TreeStore store;
  auto deep = store.add_tree({{"f", file_side("1")}});
  for (int level = 0; level < 10'000; ++level) deep = store.add_raw_tree(tree_entry("40000", "d", deep));
  const auto shallow = store.add_tree({{"f", file_side("1")}});
  EXPECT_EQ(compare_trees(store, deep, shallow, {}).paths.size(), 1U);
  const std::string words = error_message([&] { compare_trees(store, shallow, deep, {}); }, ErrorCode::refused);
  EXPECT_TRUE(words.ends_with("it is longer than the system allows")) << words;
}

TEST(TreeChanges, NameATreeThatIsMissingOrNone) {
  TreeStore store;
  const auto gone = store.add_raw_tree(tree_entry("40000", "d", some_id));
  EXPECT_EQ(error_message([&] { compare_trees(store, std::nullopt, gone, {}); }, ErrorCode::corrupt),
            "missing tree " + some_id.hex());
  store.add(object::Kind::blob, "some");
  EXPECT_EQ(error_message([&] { compare_trees(store, std::nullopt, gone, {}); }, ErrorCode::corrupt),
            "object " + some_id.hex() + " is a blob, not a tree");
  const auto broken = store.add_raw_tree("100644 name");
  EXPECT_NE(error_message([&] { compare_trees(store, broken, std::nullopt, {}); }, ErrorCode::corrupt), "accepted");
}

TEST(TreeChanges, AreRightForATreeOutOfOrder) {
  TreeStore store;
  const auto below = store.add_raw_tree(tree_entry("100644", "z", some_id) + tree_entry("100644", "f", some_id));
  const auto odd = store.add_raw_tree(tree_entry("40000", "a", below) + tree_entry("100644", "a-b", some_id) +
                                      tree_entry("100644", "c/d", some_id) + tree_entry("40000", "b", below));
  const TreeSide some{object::mode_file, some_id};
  const Files same = {{"a/f", some}, {"a/z", some}, {"a-b", some}, {"b/f", some}, {"b/z", some}, {"c/d", some}};
  Files other = same;
  other["a/f"] = file_side("other");
  other["c/e"] = some;
  other.erase("b/z");
  const auto other_tree = store.add_tree(other);
  EXPECT_EQ(words_of(compare_trees(store, odd, other_tree, {}).paths), expected_changes(same, other));
  EXPECT_EQ(words_of(compare_trees(store, other_tree, odd, {}).paths), expected_changes(other, same));
  EXPECT_EQ(words_of(compare_index(store, index_of(other), odd, {}).paths), expected_changes(other, same));
  EXPECT_TRUE(compare_index(store, index_of(same), odd, {}).paths.empty());
}

TEST(TreeChanges, RefuseATreeThatHasAPathTwice) {
  TreeStore store;
  const auto empty = store.add_raw_tree("");
  const auto below = store.add_tree({{"f", file_side("1")}});
  const auto refusal_of = [&](const std::string& content) {
    const auto tree = store.add_raw_tree(content);
    EXPECT_NO_THROW(compare_trees(store, tree, empty, {}));  // it can be left
    const std::string words = error_message([&] { compare_trees(store, empty, tree, {}); }, ErrorCode::corrupt);
    EXPECT_EQ(words, error_message([&] { compare_index(store, index_of({}), tree, {}); }, ErrorCode::corrupt));
    EXPECT_TRUE(words.starts_with("tree " + tree.hex() + " has '")) << words;
    return words.substr(words.find('\''));
  };
  const std::string a = tree_entry("100644", "a", some_id), a_tree = tree_entry("40000", "a", below);
  EXPECT_EQ(refusal_of(a + a), "'a' twice, and cannot be checked out");
  EXPECT_EQ(refusal_of(a + tree_entry("100644", "a.c", some_id) + a_tree), "'a' twice, and cannot be checked out");
  EXPECT_EQ(refusal_of(a_tree + a_tree), "'a/f' twice, and cannot be checked out");
  EXPECT_EQ(refusal_of(tree_entry("100644", "a/f", some_id) + a_tree), "'a/f' twice, and cannot be checked out");
}

// --- against an index

TEST(IndexChanges, AreThoseOfTheListsOfPathsWithAnyCacheTree) {
  for (unsigned seed = 0; seed < test::seed_count(200); ++seed) {
    TreeStore store;
    RandomFiles random(seed);
    const Files staged = random.files();
    const Files wanted = random.changed(staged);
    Index index = index_of(staged);
    const auto tree = store.add_tree(wanted);
    ASSERT_EQ(words_of(compare_index(store, index, tree, {}).paths), expected_changes(staged, wanted)) << seed;
    index.cache_tree = whole_cache_tree(store, index);
    ASSERT_EQ(words_of(compare_index(store, index, tree, {}).paths), expected_changes(staged, wanted)) << seed;
    for (CacheTreeNode& node : index.cache_tree) {
      if (random.below(3) == 0) node.entry_count = -1;
    }
    ASSERT_EQ(words_of(compare_index(store, index, tree, {}).paths), expected_changes(staged, wanted)) << seed;
  }
}

TEST(IndexChanges, PassOverDirectoriesThatTheCacheTreeKnows) {
  TreeStore store;
  Index index = index_of(thousand_files("d3/e4/extra"));
  const auto same = store.add_tree(thousand_files("d3/e4/extra"));
  const auto other = store.add_tree(thousand_files("d3/e4/other"));
  store.reads = 0;
  EXPECT_TRUE(compare_index(store, index, same, {}).paths.empty());
  EXPECT_EQ(store.reads, 111U);
  index.cache_tree = whole_cache_tree(store, index);
  store.reads = 0;
  EXPECT_TRUE(compare_index(store, index, same, {}).paths.empty());
  EXPECT_EQ(store.reads, 0U);
  EXPECT_EQ(compare_index(store, index, other, {}).paths.size(), 2U);
  EXPECT_EQ(store.reads, 3U);
}

TEST(IndexChanges, NameEveryPathThatIsInConflictOrOnlyIntended) {
  TreeStore store;
  const TreeSide x = file_side("x");
  Index index = index_of({{"conflict", x}, {"gone", x}, {"intended", x}, {"kept", x}});
  index.entries[0].stage = 1;
  index.entries.insert(index.entries.begin() + 1, index.entries[0]);
  index.entries[1].stage = 3;
  index.entries[2].stage = 2;
  index.entries[3].intent_to_add = true;
  const auto tree = store.add_tree({{"conflict", x}, {"intended", x}, {"kept", x}});
  EXPECT_EQ(words_of(compare_index(store, index, tree, {}).paths),
            (Lines{words_of(PathChange{"conflict", {}, x}), "gone: nothing > nothing",
                   words_of(PathChange{"intended", {}, x})}));
}

TEST(IndexChanges, RefuseSparseDirectories) {
  TreeStore store;
  Index index;
  index.sparse = true;
  EXPECT_NE(error_message([&] { compare_index(store, index, store.add_raw_tree(""), {}); }, ErrorCode::unsupported),
            "accepted");
}

}  // namespace
}  // namespace pfetch::checkout
