#include "checkout/tree_list.h"

#include <gtest/gtest.h>

#include "tests/checkout/tree_world.h"
#include "tests/support/dice.h"
#include "tests/support/error_message.h"
#include "tests/support/seeds.h"

namespace pfetch::checkout {
namespace {

using test::error_message;
using test::tree_entry;

object::Pathspec pathspec(const Lines& texts) {
  return object::Pathspec(texts, {});
}

Lines words_of(const TreeList& list) {
  Lines lines;
  for (const ListedPath& listed : list.paths) lines.push_back(words_of(PathChange{listed.path, {}, listed.side}));
  return lines;
}

Lines meant(TreeStore& store, const object::Oid& tree, const Lines& texts) {
  return words_of(list_meant(store, tree, {}, pathspec(texts)));
}

std::string refusal(TreeStore& store, const object::Oid& tree, const Lines& texts, ErrorCode code) {
  return error_message([&] { list_meant(store, tree, {}, pathspec(texts)); }, code);
}

Lines matching(const Files& files, const object::Pathspec& spec) {
  Files chosen;
  for (const auto& [path, side] : files) {
    if (spec.matches(path, side.mode == object::mode_gitlink)) chosen[path] = side;
  }
  return expected_changes({}, chosen);
}

TEST(MeantPaths, AreThoseOfTheWholeTreeThatMatch) {
  const Lines texts = {"a",
                       "a/",
                       "sub/a.c",
                       "sub/",
                       "sub-/sub",
                       ".",
                       "*.c",
                       "sub/*",
                       ":(glob)*/a",
                       ":(glob)**/sub/*",
                       ":(glob)sub/**",
                       ":!a",
                       ":!sub/",
                       ":!*.x",
                       ":!sub/sub",
                       ":(icase)SUB",
                       ":(icase)*.C",
                       ":(exclude,icase)SUB/A*",
                       "b",
                       ":(literal)a*",
                       "none"};
  for (unsigned seed = 0; seed < test::seed_count(200); ++seed) {
    TreeStore store;
    RandomFiles random(seed);
    test::Dice dice(seed);
    const Files files = random.files();
    const object::Oid tree = store.add_tree(files);
    for (int round = 0; round < 10; ++round) {
      Lines chosen;
      do {
        chosen.push_back(dice.pick(texts));
      } while (dice.one_in(2));
      ASSERT_EQ(meant(store, tree, chosen), matching(files, pathspec(chosen)))
          << "seed " << seed << ", " << testing::PrintToString(chosen);
    }
  }
}

TEST(MeantPaths, AreReadWithoutTheTreesThatCannotHaveAny) {
  TreeStore store;
  const Files files = thousand_files("d3/e4/extra");
  const object::Oid tree = store.add_tree(files);
  const auto reads_for = [&](const Lines& texts) {
    store.reads = 0;
    EXPECT_EQ(meant(store, tree, texts), matching(files, pathspec(texts)));
    return store.reads;
  };
  EXPECT_EQ(reads_for({"nosuch"}), 1U);
  EXPECT_EQ(reads_for({"d3/e4/extra"}), 3U);
  EXPECT_EQ(reads_for({"d3/e4"}), 3U);
  EXPECT_EQ(reads_for({"d3/e4/extra", "d3/e5/f350", "d7"}), 15U);
  EXPECT_EQ(reads_for({"d3/*/extra"}), 12U);
  EXPECT_EQ(reads_for({":(icase)D3/e4/Extra"}), 3U);
  EXPECT_EQ(reads_for({"d3", ":!d3/e4"}), 11U);
  EXPECT_EQ(reads_for({"*a"}), 111U);
  EXPECT_EQ(reads_for({"."}), 111U);
}

TEST(MeantPaths, DoNotCareWhatElseTheTreeHas) {
  TreeStore store;
  const auto good = store.add_tree({{"file", file_side("1")}});
  const auto bad = store.add_raw_tree(tree_entry("100644", "..", some_id) + tree_entry("40000", ".git", good) +
                                      tree_entry("100644", ".good", some_id));
  const auto tree = store.add_raw_tree(tree_entry("40000", "bad", bad) + tree_entry("40000", "good", good) +
                                       tree_entry("40000", "missing", some_id));
  const Lines found = expected_changes({}, {{"good/file", file_side("1")}});
  EXPECT_EQ(meant(store, tree, {"good"}), found);
  EXPECT_EQ(meant(store, tree, {"good/f*"}), found);
  EXPECT_EQ(meant(store, tree, {".", ":!bad", ":!missing"}), found);
  EXPECT_EQ(meant(store, tree, {"bad/.good"}), expected_changes({}, {{"bad/.good", {object::mode_file, some_id}}}));
  EXPECT_EQ(meant(store, tree, {"bad/*d"}), expected_changes({}, {{"bad/.good", {object::mode_file, some_id}}}));
  EXPECT_EQ(refusal(store, tree, {"bad/.*", ":!bad/.git"}, ErrorCode::refused),
            "invalid path 'bad/..': '.' and '..' are no names");
  EXPECT_EQ(refusal(store, tree, {"bad/.git"}, ErrorCode::refused),
            "invalid path 'bad/.git/file': it names the directory .git");
  EXPECT_EQ(refusal(store, tree, {"bad/*/file"}, ErrorCode::refused),
            "invalid path 'bad/.git/file': it names the directory .git");
  EXPECT_EQ(refusal(store, tree, {"good", "missing"}, ErrorCode::corrupt), "missing tree " + some_id.hex());
}

TEST(MeantPaths, AreSortedWhereTheTreeIsNot) {
  TreeStore store;
  const auto below = store.add_raw_tree(tree_entry("100644", "z", some_id) + tree_entry("100644", "f", some_id));
  const auto odd = store.add_raw_tree(tree_entry("40000", "c", below) + tree_entry("100644", "a/d", some_id) +
                                      tree_entry("40000", "b", below));
  const TreeSide some{object::mode_file, some_id};
  EXPECT_EQ(meant(store, odd, {"c", "a"}), expected_changes({}, {{"a/d", some}, {"c/f", some}, {"c/z", some}}));
}

TEST(MeantPaths, RefuseWhatIsThereTwiceOnlyIfItIsMeant) {
  TreeStore store;
  const auto below = store.add_tree({{"f", file_side("1")}});
  const auto tree = store.add_raw_tree(tree_entry("100644", "a", some_id) + tree_entry("40000", "a", below) +
                                       tree_entry("100644", "b", some_id));
  EXPECT_EQ(meant(store, tree, {"b"}).size(), 1U);
  EXPECT_EQ(meant(store, tree, {"a/f"}).size(), 1U);
  EXPECT_EQ(refusal(store, tree, {"a"}, ErrorCode::corrupt),
            "tree " + tree.hex() + " has 'a' twice, and cannot be checked out");
}

TEST(MeantPaths, AreLookedForWithinBounds) {
  TreeStore store;
  auto wide = store.add_tree({{"f", file_side("1")}});
  auto deep = wide;
  for (int level = 0; level < 12; ++level) {  // 10^12 paths
    std::string content;
    for (int i = 0; i < 10; ++i) content += tree_entry("40000", std::to_string(i), wide);
    wide = store.add_raw_tree(content);
  }
  for (int level = 0; level < 10'000; ++level) deep = store.add_raw_tree(tree_entry("40000", "d", deep));
  const PlanRules rules{.path_rules = {}, .paths_max = 1000};
  EXPECT_TRUE(error_message([&] { list_meant(store, wide, rules, pathspec({"*none"})); }, ErrorCode::refused)
                  .starts_with("the tree has more than 1000 paths, '0/0/"));
  EXPECT_EQ(list_meant(store, wide, rules, pathspec({"0/1/2/3/none"})).paths.size(), 0U);
  const std::string words = refusal(store, deep, {"*none"}, ErrorCode::refused);
  EXPECT_TRUE(words.starts_with("invalid path 'd/d/")) << words;
  EXPECT_TRUE(words.ends_with("…': the path is longer than 4095 bytes")) << words;
  EXPECT_EQ(list_meant(store, deep, {}, pathspec({"d/d/none"})).paths.size(), 0U);
}

}  // namespace
}  // namespace pfetch::checkout
