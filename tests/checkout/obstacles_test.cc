#include "checkout/obstacles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "checkout/ignore.h"
#include "checkout/index_reader.h"
#include "checkout/tree_changes.h"
#include "store/reader.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/seeds.h"

namespace pfetch::checkout {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Texts = std::vector<std::string>;
using Tree = std::map<std::string, char>;  // paths, and what is there: f, g (files that differ), l(ink), s(ubmodule)

bool clashes(const Tree& tree, const std::string& path) {
  for (const auto& [other, what] : tree) {
    if (other == path || other.starts_with(path + "/") || path.starts_with(other + "/")) return true;
  }
  return false;
}

// A repository with two branches, `one` (checked out) and `two`.
class World {
 public:
  World(const Tree& one, const Tree& two) {
    scratch_.out_of(
        "git init -q -b two . && git config core.autocrlf false && printf f | git hash-object -w --stdin && "
        "printf g | git hash-object -w --stdin && printf target | git hash-object -w --stdin");
    commit(two);
    scratch_.out_of("git checkout -q -b one");
    commit(one);
    scratch_.out_of("git checkout -q -f one");
  }

  test::Scratch& files() { return scratch_; }
  std::string git(const std::string& script) const { return scratch_.out_of(script); }
  void ignore(const std::string& patterns) { scratch_.write(".git/info/exclude", patterns); }

  // What ours says, with tracked files that became directories as their owner would have it.
  Obstacles find(bool overwrite_ignored = true, bool folds_case = false) const {
    store::Reader objects({scratch_ / ".git/objects"});
    const Index index = read_index(scratch_ / ".git/index", scratch_ / ".git");
    const TreeChanges changes = compare_trees(objects, tree("one"), tree("two"), {});
    const SwitchPlan plan = plan_switch(index, changes);
    IgnoreRules rules(scratch_.path(), {{scratch_ / ".git/info/exclude"}, false});
    ObstacleFinder::IgnoreTest ignored;
    if (overwrite_ignored) ignored = [&](std::string_view path, bool dir) { return rules.is_ignored(path, dir); };
    const base::UniqueFd top = base::open_file(scratch_.path(), O_RDONLY | O_DIRECTORY);
    ObstacleFinder finder(top.get(), index, plan, ignored, folds_case);
    for (const PlannedPath& planned : plan.paths) finder.look_at(planned);
    Obstacles found = finder.take();
    for (const PlannedPath& planned : plan.paths) {
      const bool file_goes = planned.current != nullptr && planned.current->mode != object::mode_gitlink;
      if (file_goes && !planned.target && finder.would_lose_files_below(planned.path)) {
        found.directories.emplace_back(planned.path);
      }
    }
    found.sort();
    return found;
  }

  // What git says: its lists, from what it prints when it refuses to switch.
  Obstacles git_checkout(const std::string& options = "") const {
    Obstacles found;
    std::istringstream lines(scratch_.output("git checkout -q " + options + " two"));
    std::vector<std::string>* list = nullptr;
    std::vector<std::string> others;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("\t")) {
        if (list != nullptr) list->push_back(line.substr(1));
      } else if (line.find("would be overwritten by checkout") != std::string::npos) {
        list = line.find("untracked") != std::string::npos ? &found.untracked_overwritten : &others;
      } else if (line.find("would be removed by checkout") != std::string::npos) {
        list = &found.untracked_removed;
      } else if (line.find("would lose untracked files") != std::string::npos) {
        list = &found.directories;
      }
    }
    found.sort();
    return found;
  }

 private:
  void commit(const Tree& tree) {
    static const std::map<char, std::string> kinds = {{'f', "100644 $(printf f | git hash-object --stdin)"},
                                                      {'g', "100644 $(printf g | git hash-object --stdin)"},
                                                      {'l', "120000 $(printf target | git hash-object --stdin)"},
                                                      {'s', "160000 1234567890123456789012345678901234567890"}};
    std::string script = "git read-tree --empty; { :;";
    for (const auto& [path, what] : tree) script += " printf '%s\\t%s\\n' \"" + kinds.at(what) + "\" '" + path + "';";
    scratch_.out_of(script + " } | git update-index --index-info && git commit -q --allow-empty -m x");
  }
  std::optional<object::Oid> tree(const std::string& branch) const {
    return object::Oid::from_hex(scratch_.out_of("git rev-parse " + branch + "^{tree}"));
  }

  test::Scratch scratch_;
};

TEST(Obstacles, AnUntrackedFileStandsInTheWayWhateverItHolds) {
  World world({{"k", 'f'}}, {{"k", 'f'}, {"new", 'f'}, {"new2", 'f'}, {"free", 'f'}, {"far/away/x", 'f'}});
  world.files().write("new", "f");
  world.git("ln -s k new2");
  const Obstacles found = world.find();
  EXPECT_THAT(found.untracked_overwritten, ElementsAre("new", "new2"));
  EXPECT_THAT(world.git_checkout().untracked_overwritten, ElementsAre("new", "new2"));
  EXPECT_FALSE(found.empty());
}

TEST(Obstacles, WhatIsIgnoredGivesWayUnlessItIsPrecious) {
  World world({{"k", 'f'}}, {{"k", 'f'}, {"a.i", 'f'}, {"b.i/below/x", 'f'}, {"b.i/y", 'f'}, {"c.i", 'l'}});
  world.ignore("*.i\n");
  world.files().write("a.i", "");
  world.files().write("b.i", "");
  world.files().write("c.i/deep/x", "");
  EXPECT_TRUE(world.find().empty());
  EXPECT_THAT(world.find().ignored, ElementsAre("a.i", "b.i", "c.i"));
  const Obstacles precious = world.find(false);
  EXPECT_THAT(precious.untracked_overwritten, ElementsAre("a.i", "b.i"));
  EXPECT_THAT(precious.directories, ElementsAre("c.i"));
  EXPECT_THAT(precious.ignored, IsEmpty());
  EXPECT_TRUE(world.git_checkout().empty());
}

TEST(Obstacles, DirectoriesGiveWayWhenTheyHoldNoFiles) {
  World world({{"a/x", 'f'}, {"b/x", 'f'}, {"c/x", 'f'}}, {{"a", 'f'}, {"b", 'f'}, {"d", 'f'}, {"e", 'f'}, {"s", 's'}});
  world.ignore("ignored\n");
  world.git("mkdir -p a/empty/deep d/empty && git init -q e/nested");
  world.files().write("b/ignored", "");
  world.files().write("s/mine", "");
  EXPECT_THAT(world.find().directories, ElementsAre("b", "e"));
  EXPECT_THAT(world.git_checkout().directories, ElementsAre("b", "e"));
}

TEST(Obstacles, WhatWasStagedAsDeletedIsNotRemoved) {
  World world({{"a", 'f'}, {"b", 'f'}, {"c", 'f'}, {"k", 'f'}}, {{"k", 'f'}});
  world.git("git rm -q --cached a b c && rm b c && mkdir b && echo mine > b/mine");
  const Obstacles found = world.find();
  EXPECT_THAT(found.untracked_removed, ElementsAre("a"));
  EXPECT_THAT(found.directories, ElementsAre("b"));
  const Obstacles theirs = world.git_checkout();
  EXPECT_THAT(theirs.untracked_removed, ElementsAre("a"));
  EXPECT_THAT(theirs.directories, ElementsAre("b"));
}

TEST(Obstacles, ALinkAboveIsNotFollowed) {
  World world({{"d/x", 'f'}, {"k", 'f'}}, {{"d/x", 'f'}, {"d/new", 'f'}, {"k/new", 'f'}});
  world.git("mv d elsewhere && ln -s elsewhere d && echo mine > elsewhere/new");
  EXPECT_THAT(world.find().untracked_overwritten, ElementsAre("d"));
  EXPECT_THAT(world.git_checkout().untracked_overwritten, ElementsAre("d"));
}

TEST(Obstacles, ASubmoduleThatHoldsAnythingIsKept) {
  World world({{"a", 's'}, {"b", 's'}, {"c/s", 's'}, {"d/s", 's'}}, {{"a", 'f'}, {"b", 'f'}, {"c", 'f'}, {"d", 'f'}});
  world.files().write("a/work", "days of it");
  world.files().write("c/s/work", "days of it");
  EXPECT_THAT(world.find().directories, ElementsAre("a", "c"));  // git removes them
}

// Where a file system folds case, a tracked file is found under other spellings. Hard links look the same.
TEST(Obstacles, ATrackedFileUnderAnotherSpellingIsNobodysLoss) {
  World world({{"LEAVES", 'f'}, {"STAYS", 'f'}, {"ABOVE", 'f'}},
              {{"leaves", 'g'}, {"STAYS", 'f'}, {"stays", 'g'}, {"above/x", 'f'}, {"untracked", 'f'}});
  world.git("ln LEAVES leaves && ln STAYS stays && ln ABOVE above && echo mine > untracked");
  EXPECT_THAT(world.find(true, true).untracked_overwritten, ElementsAre("untracked"));
  EXPECT_THAT(world.find().untracked_overwritten, ElementsAre("above", "leaves", "stays", "untracked"));
  // Its inode alone does not make a file of now the one that was tracked.
  world.git("rm LEAVES && mv leaves x && cp STAYS LEAVES && mv x leaves");
  EXPECT_THAT(world.find(true, true).untracked_overwritten, ElementsAre("leaves", "untracked"));
}

class Dice : public test::Dice {
 public:
  using test::Dice::Dice;

  std::string path() {
    static const Texts names = {"a", "b", "c", "x.i", "i"};
    std::string path = pick(names);
    while (path.size() < 6 && one_in(2)) path += "/" + pick(names);
    return path;
  }
  Tree tree(Tree tree) {
    for (int changes = 0; changes < 5; ++changes) {
      const std::string path = this->path();
      if (tree.contains(path) && one_in(2)) {
        tree.erase(path);
        continue;
      }
      if (one_in(2)) std::erase_if(tree, [&](const auto& item) { return clashes({item}, path); });
      if (!clashes(tree, path)) tree[path] = pick(std::string_view("ffgglls"));
    }
    return tree;
  }

  // Untracked things where nothing tracked is, below or above; now and then a tracked file becomes a directory. (Where
  // that is below a path that is to become a file, git has local changes as the one reason, which are not told here.)
  void litter(World& world, const Tree& tracked, const Tree& wanted) {
    static const Texts patterns = {"", "*.i\n", "i\n", "i/\nx.i\n", "*.i/\n", "i\n!a/i\n"};
    world.ignore(pick(patterns));
    std::string script = "cd " + base::shell_quote(world.files().path());
    for (int i = 0; i < 4; ++i) {
      const std::string path = this->path();
      const std::string above = path.substr(0, path.find('/') == std::string::npos ? 0 : path.rfind('/'));
      const auto known = tracked.find(path);
      if (known != tracked.end()) {
        if (known->second == 's') continue;
        if (one_in(4)) {
          script += "; git rm -q --cached " + path;
        } else if (one_in(4) && (wanted.contains(path) || !clashes(wanted, path))) {
          script += "; rm " + path + " && mkdir " + path + " && echo > " + path + "/mine";
        }
        continue;
      }
      if (clashes(tracked, path)) continue;
      if (!above.empty()) script += "; mkdir -p " + above + " 2>/dev/null";
      static const Texts acts = {"echo > ", "echo > ", "mkdir -p ", "ln -s nowhere ", "git init -q "};
      script += "; [ -e " + path + " ] || " + pick(acts) + path + " 2>/dev/null";
    }
    world.files().output(script);
  }
};

TEST(ObstaclesBesideGit, RandomWorktreesStopASwitchWithTheSameLists) {
  const unsigned seeds = test::seed_count(25, 5);
  unsigned refused = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Dice dice(seed);
    const Tree one = dice.tree({{"k", 'f'}});
    const Tree two = dice.tree(one);
    World world(one, two);
    dice.litter(world, one, two);
    const bool overwrite = !dice.one_in(4);
    const std::string before =
        world.git("git status -s; git diff --raw one two; find . -name .git -prune -o -print; cat .git/info/exclude");
    const Obstacles ours = world.find(overwrite);
    const Obstacles theirs = world.git_checkout(overwrite ? "" : "--no-overwrite-ignore");
    const std::string what = "seed " + std::to_string(seed) + "\n" + before;
    ASSERT_EQ(ours.untracked_overwritten, theirs.untracked_overwritten) << what;
    ASSERT_EQ(ours.untracked_removed, theirs.untracked_removed) << what;
    ASSERT_EQ(ours.directories, theirs.directories) << what;
    refused += ours.empty() ? 0 : 1;
  }
  if (seeds >= 25) {
    EXPECT_GE(refused, seeds / 6);  // or else this compares nothing
  }
}

}  // namespace
}  // namespace pfetch::checkout
