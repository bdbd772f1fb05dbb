// Everything that the pack's objects name is in the pack, behind the boundary, or was here and is itself proven.
#include "session/connectivity.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
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

// The message of the refusal; empty when all is connected.
std::string refusal(const std::vector<Thing>& pack, const std::vector<Oid>& tips, const std::vector<Oid>& boundary = {},
                    const std::vector<Thing>& before = {}, const std::vector<Oid>& before_tips = {}) {
  std::map<Oid, Kind> arrived;
  Connectivity connectivity(boundary, [&](const Oid& id) -> std::optional<Kind> {
    const auto at = arrived.find(id);
    if (at == arrived.end()) return std::nullopt;
    return at->second;
  });
  test::MemorySource source;
  for (const Thing& thing : before) source.add(thing.kind, thing.content);
  try {
    for (const Thing& thing : pack) {
      arrived[thing.id()] = thing.kind;
      connectivity.accept({thing.id(), thing.kind, thing.content.size(),
                           base::SharedBytes::copy_of(base::as_bytes(thing.content)), false});
    }
    connectivity.prove(tips, before.empty() ? nullptr : &source, before_tips);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_FALSE(error.message().empty());
    return error.message();
  }
  return "";
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

TEST(Connectivity, ProvesTipsThatNeedNoPack) {
  EXPECT_EQ(refusal({}, {child.id()}, {}, {child, root, top, sub, blob}), "");
  EXPECT_NE(refusal({}, {child.id()}, {}, {child, root, top, sub}), "");
  EXPECT_NE(refusal({}, {child.id()}), "");
}

}  // namespace
}  // namespace pfetch::session
