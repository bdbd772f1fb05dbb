// Everything that the pack's objects name is in the pack, behind the boundary, or was here and is itself proven.
#include "session/connectivity.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "graph/commit_table.h"
#include "graph/walk_reachability.h"
#include "session/combined_source.h"
#include "tests/support/fakes.h"

namespace pfetch::session {
namespace {

using object::Kind;
using object::Oid;
using test::tree_entry;

struct Thing {
  Kind kind;
  std::string content;
  Oid id() const { return test::object_id(kind, content); }
};

const Thing blob{Kind::blob, "blob"};
const Thing sub{Kind::tree, tree_entry("100644", "deep", blob.id())};
const Thing top{Kind::tree, tree_entry("100644", "file", blob.id()) +
                                tree_entry("160000", "module", test::object_id(Kind::commit, "elsewhere")) +
                                tree_entry("40000", "sub", sub.id())};
const Thing root{Kind::commit, test::commit_text(top.id())};
const Thing child{Kind::commit, test::commit_text(top.id(), {root.id()})};
const Thing tag{Kind::tag, "object " + child.id().hex() + "\ntype commit\ntag v\n\nm\n"};

// Says which objects were read.
class WatchedSource : public test::MemorySource {
 public:
  std::optional<object::Object> read(const Oid& id) override {
    reads.insert(id);
    return test::MemorySource::read(id);
  }
  std::set<Oid> reads;
};

struct Case {
  std::vector<Thing> pack{};
  std::vector<Oid> tips{};
  std::vector<Oid> boundary{};
  std::vector<Thing> before{};
  std::vector<Oid> before_tips{};
  std::vector<Oid> similar{};
  std::set<Oid> read_before{};  // of what was here, those that were read
};

// The message of the refusal; empty when all is connected.
std::string refusal(Case& given) {
  std::map<Oid, Kind> arrived;
  Connectivity connectivity(given.boundary, [&](const Oid& id) -> std::optional<Kind> {
    const auto at = arrived.find(id);
    if (at == arrived.end()) return std::nullopt;
    return at->second;
  });
  WatchedSource source;
  for (const Thing& thing : given.before) source.add(thing.kind, thing.content);
  test::MemorySource pack;
  CombinedSource all(pack, &source);
  graph::CommitTable graph(source);
  graph::WalkReachability reachability(graph, source);
  const Before before{source, given.before_tips, reachability, given.similar, {}};
  std::string message;
  try {
    for (const Thing& thing : given.pack) {
      arrived[thing.id()] = thing.kind;
      pack.add(thing.kind, thing.content);
      connectivity.accept({thing.id(), thing.kind, thing.content.size(),
                           base::SharedBytes::copy_of(base::as_bytes(thing.content)), false});
    }
    connectivity.prove(given.tips, all, given.before.empty() ? nullptr : &before);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_FALSE(error.message().empty());
    message = error.message();
  }
  given.read_before = source.reads;
  return message;
}

std::string refusal(const std::vector<Thing>& pack, const std::vector<Oid>& tips, const std::vector<Oid>& boundary = {},
                    const std::vector<Thing>& before = {}, const std::vector<Oid>& before_tips = {}) {
  Case given{pack, tips, boundary, before, before_tips};
  return refusal(given);
}

TEST(Connectivity, TakesAWholeHistoryInEveryOrder) {
  std::vector<int> order = {0, 1, 2, 3, 4, 5};
  const std::vector<Thing> all = {blob, sub, top, root, child, tag};
  do {
    std::vector<Thing> pack;
    for (const int i : order) pack.push_back(all[static_cast<std::size_t>(i)]);
    ASSERT_EQ(refusal(pack, {tag.id()}), "");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Connectivity, NamesEachObjectThatIsMissing) {
  const std::vector<Thing> all = {tag, child, root, top, sub, blob};
  for (std::size_t missing = 0; missing < all.size(); ++missing) {
    std::vector<Thing> pack = all;
    pack.erase(pack.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_NE(refusal(pack, {tag.id()}).find(all[missing].id().hex()), std::string::npos) << missing;
  }
}

TEST(Connectivity, StopsAtTheBoundary) {
  EXPECT_NE(refusal({child, top, sub, blob}, {child.id()}), "");
  EXPECT_EQ(refusal({child, top, sub, blob}, {child.id()}, {child.id()}), "");
  EXPECT_NE(refusal({child, top, blob}, {child.id()}, {child.id()}), "");  // only parents are behind it
}

TEST(Connectivity, RefusesAnObjectOfAnotherKindThanItIsNamedAs) {
  const Thing wrong_tree{Kind::commit, test::commit_text(blob.id())};
  EXPECT_NE(refusal({wrong_tree, blob}, {wrong_tree.id()}).find(blob.id().hex()), std::string::npos);
  EXPECT_NE(refusal({blob, wrong_tree}, {wrong_tree.id()}).find(blob.id().hex()), std::string::npos);
  const Thing both_ways{Kind::tree, tree_entry("100644", "a", sub.id()) + tree_entry("40000", "b", sub.id())};
  EXPECT_NE(refusal({both_ways}, {both_ways.id()}), "");
  // And among what was here before.
  EXPECT_NE(refusal({wrong_tree}, {wrong_tree.id()}, {}, {blob}), "");
  // A local tree names as a blob what the pack brings as a tree.
  const Thing local{Kind::tree, tree_entry("100644", "a", sub.id())};
  const Thing commit{Kind::commit, test::commit_text(local.id())};
  EXPECT_NE(refusal({commit, sub, blob}, {commit.id()}, {}, {local}).find("not a blob"), std::string::npos);
}

TEST(Connectivity, TrustsWhatTheRefsReached) {
  // The refs were complete before: the blob that is not there is not looked for.
  EXPECT_EQ(refusal({child}, {child.id()}, {}, {root, top, sub, blob}, {root.id()}), "");
}

TEST(Connectivity, WalksWhatNoRefReachesToItsLeaves) {
  // A dangling commit with all that it names is as good as one in the pack; without a blob it is not.
  EXPECT_EQ(refusal({tag}, {tag.id()}, {}, {child, root, top, sub, blob}), "");
  EXPECT_NE(refusal({tag}, {tag.id()}, {}, {child, root, top, sub}).find(blob.id().hex()), std::string::npos);
  EXPECT_NE(refusal({tag}, {tag.id()}, {}, {child, top, sub, blob}).find(root.id().hex()), std::string::npos);
  // What it names may be in the pack.
  EXPECT_EQ(refusal({tag, blob}, {tag.id()}, {}, {child, root, top, sub}), "");
}

// A change of one file: the tree beside it is the parent's and is not read.
TEST(Connectivity, ReadsNothingBelowATreeThatTheParentHasToo) {
  const Thing other{Kind::blob, "changed"};
  const Thing new_top{Kind::tree, tree_entry("100644", "file", other.id()) + tree_entry("40000", "sub", sub.id())};
  const Thing next{Kind::commit, test::commit_text(new_top.id(), {root.id()})};
  Case given{{next, new_top, other}, {next.id()}, {}, {root, top, sub, blob}, {root.id()}};
  EXPECT_EQ(refusal(given), "");
  EXPECT_EQ(given.read_before.count(sub.id()), 0U);
  // The same for a commit of the pack that has no parents here, where a ref points to one like it.
  Case cut{{next, new_top, other}, {next.id()}, {next.id()}, {root, top, sub, blob}, {root.id()}, {root.id()}};
  EXPECT_EQ(refusal(cut), "");
  EXPECT_EQ(cut.read_before.count(sub.id()), 0U);
  // A tree that stands elsewhere than in the parent is read, and what it lacks is found.
  const Thing moved_top{Kind::tree, tree_entry("40000", "moved", sub.id())};
  const Thing moved{Kind::commit, test::commit_text(moved_top.id(), {root.id()})};
  Case moving{{moved, moved_top}, {moved.id()}, {}, {root, top, sub}, {root.id()}};
  EXPECT_NE(refusal(moving).find(blob.id().hex()), std::string::npos);
}

TEST(Connectivity, NeedsWhatSomethingElseExpects) {
  std::vector<Oid> boundary;
  Connectivity connectivity(boundary, [](const Oid&) { return std::nullopt; });
  connectivity.expect(root.id(), Kind::commit, child.id());
  test::MemorySource nothing;
  EXPECT_THROW(connectivity.prove({}, nothing, nullptr), Error);
}

TEST(Connectivity, ProvesTipsThatNeedNoPack) {
  EXPECT_EQ(refusal({}, {child.id()}, {}, {child, root, top, sub, blob}), "");
  EXPECT_NE(refusal({}, {child.id()}, {}, {child, root, top, sub}), "");
  EXPECT_NE(refusal({}, {child.id()}), "");
}

}  // namespace
}  // namespace pfetch::session
