// Whatever the order in which objects arrive, the worktree is the one that git makes.
#include "checkout/engine.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "base/error.h"
#include "tests/checkout/checkout_world.h"
#include "tests/support/git_oracle.h"

namespace pfetch::checkout {
namespace {

using object::Kind;
using test::Delivery;
using test::tree_entry;
using test::WorldObject;

// A worktree with everything that the engine treats in a way of its own. Objects in the order in which git sends them.
struct World {
  World() {
    const auto blob = [&](std::string content) {
      blobs.push_back({Kind::blob, std::move(content)});
      return blobs.back().id();
    };
    const auto tree = [&](std::string content) {
      trees.insert(trees.begin(), {Kind::tree, std::move(content)});
      return trees.front().id();
    };
    const auto same = blob("the same\n");
    const auto shared = tree(tree_entry("100644", "deep.txt", blob("deep\n")) + tree_entry("100644", "same", same));
    const auto raw = tree(tree_entry("100644", "c.txt", blob("raw\n")));
    const auto sub = tree(tree_entry("100644", ".gitattributes", blob("b.txt eol=lf\n")) +
                          tree_entry("100644", "b.txt", blob("b\nb\n")) + tree_entry("40000", "copy", shared) +
                          tree_entry("100644", "d.txt", blob("d\nd\n")) + tree_entry("40000", "raw", raw) +
                          tree_entry("100644", "x.id", blob("$Id$\n")));
    const auto root = tree(
        tree_entry("100644", ".gitattributes", blob("*.txt text eol=crlf\n*.id ident\nsub/raw/** -text\n")) +
        tree_entry("100644", "a.txt", blob("one\ntwo\n")) + tree_entry("100755", "bin", blob("#!/bin/sh\n")) +
        tree_entry("40000", "copy", shared) + tree_entry("100644", "empty", blob("")) +
        tree_entry("100644", "large", blob(std::string(70000, 'l'))) + tree_entry("120000", "link", blob("a.txt")) +
        tree_entry("160000", "module", test::object_id(Kind::commit, "elsewhere")) +
        tree_entry("100644", "same1", same) + tree_entry("100644", "same2", same) + tree_entry("40000", "sub", sub) +
        tree_entry("40000", "zcopy", shared));
    commit = {Kind::commit, test::commit_text(root)};
  }

  std::vector<WorldObject> objects() const {
    std::vector<WorldObject> all = {commit};
    all.insert(all.end(), trees.begin(), trees.end());
    all.insert(all.end(), blobs.begin(), blobs.end());
    return all;
  }

  WorldObject commit;
  std::vector<WorldObject> trees;  // from the top down
  std::vector<WorldObject> blobs;
};

// The same world in git's hands.
class GitWorld {
 public:
  explicit GitWorld(const World& world) {
    for (const WorldObject& object : world.objects()) {
      const std::string id =
          git.must({"hash-object", "-w", "--stdin", "-t", std::string(object::kind_name(object.kind)), "--literally"},
                   object.content);
      EXPECT_EQ(id, object.id().hex());
    }
    git.must({"update-ref", "HEAD", world.commit.id().hex()});
    git.must({"checkout", "-q", "-f", "HEAD"});
    expected = test::snapshot(git.worktree());
  }
  test::GitOracle git;
  std::map<std::string, std::string> expected;
};

const GitWorld& git_world() {
  static const GitWorld world{World()};
  return world;
}

TEST(Engine, MakesTheWorktreeThatGitMakesAndAnIndexThatGitTakesForClean) {
  const World world;
  Delivery delivery(world.commit.id());
  for (const WorldObject& object : world.objects()) delivery.deliver(object);
  EXPECT_TRUE(delivery.finish().empty());
  EXPECT_EQ(delivery.files(), git_world().expected);
  const auto& git = git_world().git;
  delivery.write_index(git.worktree() + "/.git/index");
  const auto in_ours = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"--git-dir=" + git.worktree() + "/.git", "--work-tree=" + delivery.work_tree()});
    return git.must(arguments);
  };
  EXPECT_EQ(in_ours({"diff-files", "--name-only"}), "");  // by stat data alone: nothing refreshed the index yet
  EXPECT_EQ(in_ours({"status", "--porcelain"}), "");
  EXPECT_EQ(in_ours({"write-tree"}), world.trees.front().id().hex());
  EXPECT_EQ(in_ours({"ls-files", "-s"}),
            in_ours({"ls-tree", "-r", "--format=%(objectmode) %(objectname) 0%x09%(path)", "HEAD"}));
}

TEST(Engine, MakesTheSameWorktreeInEveryOrderOfArrival) {
  const World world;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto objects = world.objects();
    std::shuffle(objects.begin(), objects.end(), random);
    Delivery delivery(world.commit.id());
    for (const WorldObject& object : objects) {
      delivery.deliver(object, object.kind == Kind::blob && object.content.size() > 100 && seed % 2 == 0);
    }
    ASSERT_TRUE(delivery.finish().empty());
    ASSERT_EQ(delivery.files(), git_world().expected);
    ASSERT_EQ(delivery.counters().files_planned.load(), delivery.counters().files_written.load());
  }
}

TEST(Engine, MakesTheSameWorktreeWhenManyThreadsDeliver) {
  const World world;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    auto objects = world.objects();
    std::shuffle(objects.begin(), objects.end(), random);
    Delivery delivery(world.commit.id());
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (std::size_t at; (at = next++) < objects.size();) delivery.deliver(objects[at]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(delivery.finish().empty());
    ASSERT_EQ(delivery.files(), git_world().expected) << "seed " << seed;
  }
}

TEST(Engine, WritesEveryBlobTheMomentItComesInTheOrderInWhichGitSends) {
  const World world;
  Delivery delivery(world.commit.id());
  delivery.deliver(world.commit);
  for (const WorldObject& tree : world.trees) delivery.deliver(tree);
  const auto is_attributes = [](const WorldObject& blob) { return blob.content.find("eol=") != std::string::npos; };
  for (const WorldObject& blob : world.blobs) {
    if (is_attributes(blob)) delivery.deliver(blob);
  }
  for (const WorldObject& blob : world.blobs) {
    if (!is_attributes(blob)) delivery.deliver(blob);
  }
  EXPECT_EQ(delivery.counters().replayed.load(),
            delivery.counters().files_written.load() - delivery.counters().written_receiving.load());
  EXPECT_LE(delivery.counters().replayed.load(), 1U);  // sub/.gitattributes, which came before the one above it
  EXPECT_TRUE(delivery.exists("sub/copy/same"));
  delivery.finish();
  EXPECT_EQ(delivery.files(), git_world().expected);
}

TEST(Engine, WhereEachOperationWaitsFilesComeWhenThePackIsWhole) {
  const World world;
  EngineOptions options;
  options.writes_on_arrival = false;
  Delivery delivery(world.commit.id(), options);
  delivery.deliver(world.commit);
  for (const WorldObject& tree : world.trees) delivery.deliver(tree);
  for (const WorldObject& blob : world.blobs) delivery.deliver(blob);
  for (const auto& [path, what] : delivery.files()) {
    EXPECT_TRUE(what == "dir" || path.ends_with(".gitattributes")) << path;
  }
  delivery.finish();
  EXPECT_EQ(delivery.files(), git_world().expected);
}

TEST(Engine, TakesObjectsThatWereHereBefore) {
  const World world;
  for (const std::size_t kept : {0U, 1U, 3U}) {  // everything, all but the commit, all but some trees
    Delivery delivery(world.commit.id());
    const auto objects = world.objects();
    for (std::size_t i = kept; i < objects.size(); ++i) delivery.had(objects[i]);
    for (std::size_t i = 0; i < kept; ++i) delivery.deliver(objects[i]);
    delivery.finish();
    EXPECT_EQ(delivery.files(), git_world().expected) << kept;
  }
}

TEST(Engine, FollowsATagToItsCommitWhicheverComesFirst) {
  const World world;
  const WorldObject inner{
      Kind::tag, "object " + world.commit.id().hex() + "\ntype commit\ntag v1\ntagger A <a@x> 1700000000 +0000\n\nm\n"};
  const WorldObject outer{Kind::tag,
                          "object " + inner.id().hex() + "\ntype tag\ntag v2\ntagger A <a@x> 1700000000 +0000\n\nm\n"};
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    auto objects = world.objects();
    objects.push_back(inner);
    objects.push_back(outer);
    std::shuffle(objects.begin(), objects.end(), random);
    Delivery delivery(outer.id());
    for (const WorldObject& object : objects) delivery.deliver(object);
    delivery.finish();
    ASSERT_EQ(delivery.files(), git_world().expected) << "seed " << seed;
  }
  // All of it was here before, and the pack is empty.
  Delivery delivery(outer.id());
  for (const WorldObject& object : world.objects()) delivery.had(object);
  delivery.had(inner);
  delivery.had(outer);
  delivery.finish();
  EXPECT_EQ(delivery.files(), git_world().expected);
}

TEST(Engine, FollowsATowerOfTagsOfAnyHeight) {
  const World world;
  std::vector<WorldObject> tags;
  object::Oid target = world.commit.id();
  std::string kind = "commit";
  for (int i = 0; i < 3000; ++i) {
    tags.push_back({Kind::tag, "object " + target.hex() + "\ntype " + kind + "\ntag v\n\nm\n"});
    target = tags.back().id();
    kind = "tag";
  }
  Delivery delivery(target);
  for (const WorldObject& object : world.objects()) delivery.deliver(object);
  for (const WorldObject& tag : tags) delivery.deliver(tag);
  EXPECT_TRUE(delivery.exists("a.txt"));
}

TEST(Engine, RefusesATagThatLeadsToNoCommit) {
  const WorldObject blob{Kind::blob, "x"};
  const WorldObject tag{Kind::tag, "object " + blob.id().hex() + "\ntype blob\ntag v\n\nm\n"};
  Delivery delivery(tag.id());
  delivery.had(blob);
  delivery.deliver(tag);
  try {
    delivery.finish();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("is a blob, not a commit"), std::string::npos) << error.message();
  }
}

// ------------------------------------------------------------------------------------------------ small worlds

struct Small {
  explicit Small(const std::string& top) : tree{Kind::tree, top}, commit{Kind::commit, test::commit_text(tree.id())} {}
  WorldObject tree;
  WorldObject commit;
};

TEST(Engine, HoldsAFileUntilItsAttributesAreCertain) {
  const WorldObject attributes{Kind::blob, "*.txt eol=crlf\n"};
  const WorldObject text{Kind::blob, "line\n"};
  const WorldObject below{Kind::tree, tree_entry("100644", "b.txt", text.id())};
  const Small world(tree_entry("100644", ".gitattributes", attributes.id()) + tree_entry("100644", "a.txt", text.id()) +
                    tree_entry("40000", "below", below.id()));
  Delivery delivery(world.commit.id());
  for (const WorldObject& object : {world.commit, world.tree, below, text}) delivery.deliver(object);
  EXPECT_FALSE(delivery.exists("a.txt"));
  EXPECT_FALSE(delivery.exists("below/b.txt"));
  delivery.deliver(attributes);
  EXPECT_EQ(delivery.files().at("a.txt"), "file line\r\n");
  EXPECT_EQ(delivery.files().at("below/b.txt"), "file line\r\n");
}

TEST(Engine, WritesSymlinksLast) {
  const WorldObject target{Kind::blob, "/etc"};
  const Small world(tree_entry("120000", "link", target.id()));
  Delivery delivery(world.commit.id());
  for (const WorldObject& object : {world.commit, world.tree, target}) delivery.deliver(object);
  delivery.engine().finish_files();
  EXPECT_FALSE(delivery.exists("link"));
  delivery.engine().finish();
  EXPECT_EQ(delivery.files().at("link"), "link /etc");

  EngineOptions plain;
  plain.delivery.symlinks = false;
  Delivery without(world.commit.id(), plain);
  for (const WorldObject& object : {world.commit, world.tree, target}) without.deliver(object);
  without.finish();
  EXPECT_EQ(without.files().at("link"), "file /etc");
}

TEST(Engine, WritesOneBlobAtAThousandPaths) {
  const WorldObject blob{Kind::blob, "everywhere"};
  std::string top;
  for (int i = 0; i < 1000; ++i) top += tree_entry("100644", "f" + std::to_string(1000 + i), blob.id());
  const Small world(top);
  for (const bool early : {false, true}) {
    Delivery delivery(world.commit.id());
    if (early) delivery.deliver(blob);
    delivery.deliver(world.commit);
    delivery.deliver(world.tree);
    if (!early) delivery.deliver(blob);
    delivery.finish();
    EXPECT_EQ(delivery.counters().files_written.load(), 1000U);
    const auto files = delivery.files();
    EXPECT_EQ(files.size(), 1000U);
    for (const auto& [path, content] : files) ASSERT_EQ(content, "file everywhere") << path;
  }
}

TEST(Engine, LeavesAloneWhatStandsThereAndReportsIt) {
  const WorldObject blob{Kind::blob, "ours"};
  const Small world(tree_entry("100644", "a", blob.id()) + tree_entry("100644", "b", blob.id()) +
                    tree_entry("120000", "c", blob.id()));
  Delivery delivery(world.commit.id());
  std::ofstream(delivery.work_tree() + "/a") << "theirs";
  std::filesystem::create_symlink(delivery.outside("victim"), delivery.work_tree() + "/c");
  for (const WorldObject& object : {world.commit, world.tree, blob}) delivery.deliver(object);
  EXPECT_EQ(delivery.finish(), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(delivery.files().at("a"), "file theirs");
  EXPECT_EQ(delivery.files().at("b"), "file ours");
  EXPECT_EQ(delivery.files().at("c"), "link " + delivery.outside("victim"));
  EXPECT_FALSE(base::path_exists(delivery.outside("victim")));
}

TEST(Engine, ReportsBothFilesThatShareAName) {
  // Twice the same name stands for a file system that folds case: the second finds the first one's file.
  const WorldObject one{Kind::blob, "one"};
  const WorldObject two{Kind::blob, "two"};
  const Small world(tree_entry("100644", "name", one.id()) + tree_entry("100644", "name", two.id()));
  Delivery delivery(world.commit.id());
  for (const WorldObject& object : {world.commit, world.tree, one, two}) delivery.deliver(object);
  EXPECT_EQ(delivery.finish(), std::vector<std::string>{"name"});
  EXPECT_EQ(delivery.files().at("name"), "file one");
}

TEST(Engine, SortsTheIndexOfABrokenTree) {
  const WorldObject one{Kind::blob, "one"};
  const WorldObject two{Kind::blob, "two"};
  const Small world(tree_entry("100644", "z", one.id()) + tree_entry("100644", "b", two.id()) +
                    tree_entry("100644", "b", one.id()) + tree_entry("100644", "d/x", two.id()) +
                    tree_entry("100644", "c", one.id()));
  Delivery delivery(world.commit.id());
  for (const WorldObject& object : {world.commit, world.tree, two, one}) delivery.deliver(object);
  delivery.finish();
  const test::GitOracle git;
  delivery.write_index(git.worktree() + "/.git/index");
  EXPECT_EQ(git.must({"ls-files", "-s"}), "100644 " + two.id().hex() + " 0\tb\n100644 " + one.id().hex() +
                                              " 0\tc\n100644 " + two.id().hex() + " 0\td/x\n100644 " + one.id().hex() +
                                              " 0\tz");
}

TEST(Engine, RefusesNamesThatMustNotBeWritten) {
  const WorldObject blob{Kind::blob, "x"};
  for (const char* name : {".git", "..", ".", ".GIT", "git~1", "a/../b", "a/.git/hooks"}) {
    const Small world(tree_entry("100644", name, blob.id()));
    Delivery delivery(world.commit.id());
    delivery.deliver(blob);
    delivery.deliver(world.tree);
    try {
      delivery.deliver(world.commit);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::refused) << name;
      EXPECT_NE(error.message().find(name), std::string::npos) << error.message();
    }
    EXPECT_TRUE(delivery.files().empty());
  }
}

TEST(Engine, NamesWhatIsMissingOrOfAnotherKind) {
  const WorldObject blob{Kind::blob, "x"};
  const auto message_of = [](Delivery& delivery, auto objects) -> std::string {
    try {
      for (const WorldObject& object : objects) delivery.deliver(object);
      delivery.finish();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt);
      return error.message();
    }
    return "";
  };
  const Small world(tree_entry("100644", "file", blob.id()));
  Delivery no_blob(world.commit.id());
  EXPECT_NE(message_of(no_blob, std::vector{world.commit, world.tree}).find(blob.id().hex()), std::string::npos);
  Delivery no_tree(world.commit.id());
  EXPECT_NE(message_of(no_tree, std::vector{world.commit}).find(world.tree.id().hex()), std::string::npos);
  Delivery no_commit(world.commit.id());
  EXPECT_NE(message_of(no_commit, std::vector{blob}).find(world.commit.id().hex()), std::string::npos);
  const Small crossed(tree_entry("40000", "directory", blob.id()));
  for (const bool early : {true, false}) {
    Delivery delivery(crossed.commit.id());
    const auto objects =
        early ? std::vector{blob, crossed.commit, crossed.tree} : std::vector{crossed.commit, crossed.tree, blob};
    EXPECT_NE(message_of(delivery, objects).find("not a tree"), std::string::npos) << early;
  }
  const Small reversed(tree_entry("100644", "file", world.tree.id()));
  for (const bool early : {true, false}) {
    Delivery delivery(reversed.commit.id());
    const auto objects = early ? std::vector{world.tree, reversed.commit, reversed.tree}
                               : std::vector{reversed.commit, reversed.tree, world.tree};
    EXPECT_NE(message_of(delivery, objects).find("not a blob"), std::string::npos) << early;
  }
}

}  // namespace
}  // namespace pfetch::checkout
