#include "checkout/switch_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/checkout/tree_world.h"
#include "tests/support/scratch.h"
#include "tests/support/seeds.h"

namespace pfetch::checkout {
namespace {

const TreeSide none;
const TreeSide head = file_side("head"), wanted = file_side("wanted"), other = file_side("other");

// A plan with all that it points into.
struct Planned {
  Planned(const Files& staged, const Files& before, const Files& after)
      : index(index_of(staged)), changes(compare_trees(store, store.add_tree(before), store.add_tree(after), {})) {
    plan = plan_switch(index, changes);
  }

  // "path: target", and "path: nothing"; in front "new" where nothing is tracked, or the path alone when it is refused.
  std::vector<std::string> words() const {
    std::vector<std::string> lines;
    for (const PlannedPath& path : plan.paths) {
      lines.push_back(fmt::format("{}{}: {}", path.current == nullptr ? "new " : "", path.path,
                                  path.target == wanted ? "wanted"
                                  : path.target         ? "?"
                                                        : "nothing"));
      if (path.current != nullptr) {
        EXPECT_EQ(path.current->path, path.path);
      }
    }
    for (const std::string_view path : plan.refused) lines.push_back("refused " + std::string(path));
    for (const std::string_view path : plan.in_the_way) lines.push_back("in the way " + std::string(path));
    return lines;
  }
  // What the index has afterwards.
  Files result() const {
    Files files;
    for (const IndexEntry& entry : index.entries) files[std::string(entry.path)] = {entry.mode, entry.id};
    for (const PlannedPath& path : plan.paths) files.erase(std::string(path.path));
    for (const PlannedPath& path : plan.paths) {
      if (path.target) files[std::string(path.path)] = path.target;
    }
    return files;
  }

  TreeStore store;
  Index index;
  TreeChanges changes;
  SwitchPlan plan;
};

Files at_p(const TreeSide& side) {
  Files files = {{"keep", other}};
  if (side) files["p"] = side;
  return files;
}
std::vector<std::string> plan_of(const TreeSide& staged, const TreeSide& before, const TreeSide& after) {
  return Planned(at_p(staged), at_p(before), at_p(after)).words();
}

// git-read-tree(1), "Two Tree Merge"; the cases that a file which was touched adds are for others to see.
TEST(SwitchPlan, FollowsTheTableOfTwoTrees) {
  EXPECT_EQ(plan_of(none, none, wanted), Lines{"new p: wanted"});  // 1
  EXPECT_EQ(plan_of(none, head, none), Lines{"new p: nothing"});   // 2
  EXPECT_EQ(plan_of(none, head, head), Lines{});                   // 3
  EXPECT_EQ(plan_of(none, head, wanted), Lines{"refused p"});
  EXPECT_EQ(plan_of(other, none, none), Lines{});               // 4, 5
  EXPECT_EQ(plan_of(wanted, none, wanted), Lines{});            // 6, 7
  EXPECT_EQ(plan_of(other, none, wanted), Lines{"refused p"});  // 8, 9
  EXPECT_EQ(plan_of(head, head, none), Lines{"p: nothing"});    // 10
  EXPECT_EQ(plan_of(other, head, none), Lines{"refused p"});    // 12, 13
  EXPECT_EQ(plan_of(other, head, head), Lines{});               // 14, 15
  EXPECT_EQ(plan_of(other, head, wanted), Lines{"refused p"});  // 16, 17
  EXPECT_EQ(plan_of(wanted, head, wanted), Lines{});            // 18, 19
  EXPECT_EQ(plan_of(head, head, wanted), Lines{"p: wanted"});   // 20
  const TreeSide runs{object::mode_executable, head.id};
  EXPECT_EQ(plan_of(runs, head, wanted), Lines{"refused p"});
}

TEST(SwitchPlan, TakesAFileForADirectoryAndBack) {
  EXPECT_EQ(Planned({{"a", head}}, {{"a", head}}, {{"a/b", wanted}}).words(), (Lines{"a: nothing", "new a/b: wanted"}));
  EXPECT_EQ(Planned({{"a/b", head}}, {{"a/b", head}}, {{"a", wanted}}).words(),
            (Lines{"new a: wanted", "a/b: nothing"}));
}

TEST(SwitchPlan, LosesNoStagedFileToANewDirectoryOrFile) {
  const Files top = {{"keep", other}};
  Files staged = top, after = top;
  staged["a/y"] = other;
  staged["a-b"] = other;
  after["a"] = wanted;
  EXPECT_EQ(Planned(staged, top, after).words(), Lines{"refused a/y"});

  staged = top;
  after = top;
  staged["d/a"] = other;
  after["d/a/x"] = after["d/a/y/z"] = after["d/a0"] = wanted;
  EXPECT_EQ(Planned(staged, top, after).words(),
            (Lines{"new d/a/x: wanted", "new d/a/y/z: wanted", "new d/a0: wanted", "in the way d/a"}));
}

TEST(SwitchPlan, KeepsADirectoryThatIsStagedInPlaceOfAFile) {
  EXPECT_EQ(Planned({{"a/q", other}}, {{"a", head}}, {{"z", wanted}}).words(), Lines{"new z: wanted"});
  EXPECT_EQ(Planned({{"a/q", other}}, {{"a", head}}, {{"a/x", wanted}}).words(), Lines{"new a/x: wanted"});
}

TEST(SwitchPlan, ResetsWhateverTheIndexHas) {
  TreeStore store;
  Index index = index_of({{"a/y", other}, {"conflict", other}, {"gone", other}, {"same", wanted}});
  index.entries[1].stage = 2;
  const auto tree = store.add_tree({{"a", wanted}, {"conflict", wanted}, {"same", wanted}});
  const TreeChanges changes = compare_index(store, index, tree, {});
  const SwitchPlan plan = plan_reset(index, changes);
  ASSERT_EQ(plan.paths.size(), 4U);
  EXPECT_EQ(plan.paths[0].path, "a");
  EXPECT_EQ(plan.paths[1].path, "a/y");
  EXPECT_EQ(plan.paths[1].target, none);
  EXPECT_EQ(plan.paths[1].current, &index.entries[0]);
  EXPECT_EQ(plan.paths[2].target, wanted);
  EXPECT_EQ(plan.paths[2].current, nullptr);
  EXPECT_EQ(plan.paths[3].path, "gone");
  EXPECT_TRUE(plan.refused.empty());
}

// --- beside git

std::string listing(const Files& files) {
  std::string lines;
  for (const auto& [path, side] : files) lines += fmt::format("{:06o} {} 0\t{}\n", side.mode, side.id.hex(), path);
  return lines;
}

// For each path what one of the three has, or nothing.
Files mixed(RandomFiles& random, const Files& before, const Files& after) {
  Files staged = random.below(4) == 0 ? random.changed(before) : before;
  for (unsigned count = random.below(5); count > 0; --count) {
    const auto& [path, side] = *std::next(after.begin(), random.below(after.size()));
    RandomFiles::put(staged, path, random.below(4) == 0 ? random.side() : side);
  }
  return staged;
}

TEST(SwitchPlan, EndsWithTheIndexOfGitOrRefusesAsItDoes) {
  test::Scratch scratch;
  scratch.out_of("git init -q");
  std::map<std::string, int> met;
  for (unsigned seed = 0; seed < test::seed_count(100, 4); ++seed) {
    RandomFiles random(seed);
    const Files before = random.files(), after = random.changed(before), staged = mixed(random, before, after);
    scratch.write("before", listing(before));
    scratch.write("after", listing(after));
    scratch.write("staged", listing(staged));
    const test::Ran git = scratch.run(
        "for i in before after staged; do GIT_INDEX_FILE=$i.index git update-index --index-info <$i; done\n"
        "for i in before after; do GIT_INDEX_FILE=$i.index git write-tree --missing-ok >$i.tree; done\n"
        "export GIT_INDEX_FILE=staged.index\n"
        "git read-tree -i -m $(cat before.tree after.tree) 2>said; status=$?; git ls-files -s; rm *.index; exit "
        "$status");
    const Planned planned(staged, before, after);
    ASSERT_EQ(scratch.read("after.tree"), TreeStore().add_tree(after).hex() + "\n") << seed;
    const bool in_neither = std::all_of(planned.plan.refused.begin(), planned.plan.refused.end(), [&](auto path) {
      return !before.contains(std::string(path)) && !after.contains(std::string(path));
    });
    if (git.ok() && in_neither && !(planned.plan.refused.empty() && planned.plan.in_the_way.empty())) {
      ++met["git drops what is staged"];
      continue;
    }
    ++met[git.ok() ? "taken" : "refused"];
    ASSERT_EQ(git.ok(), planned.plan.refused.empty()) << seed << scratch.read("said");
    ASSERT_EQ(git.out, listing(git.ok() ? planned.result() : staged)) << seed;
  }
  EXPECT_GE(met.size(), test::seed_count(100, 4) < 50 ? 1U : 3U);
}

}  // namespace
}  // namespace pfetch::checkout
