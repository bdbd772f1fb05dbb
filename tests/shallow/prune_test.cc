#include "shallow/prune.h"

#include <gtest/gtest.h>

#include "tests/support/fake_graph.h"

namespace pfetch::shallow {
namespace {

using test::FakeGraph;
using test::FakeReachability;
using test::ids;
using test::names;

std::string unneeded(std::string_view history, std::string_view roots, std::string_view tips) {
  FakeGraph graph(history);
  graph.cut(roots);
  FakeReachability reachability(graph);
  ShallowFile own;
  own.roots = object::sorted_unique(ids(roots));
  return names(unneeded_roots(own, ids(tips), reachability));
}

TEST(UnneededRoots, NeverOneThatATipReaches) {
  EXPECT_EQ(unneeded("c6: c5; c5; b2: b1; b1; x1", "b1 c5 x1", "c6 b2"), "x1");
  EXPECT_EQ(unneeded("c6: c5; c5", "c5", "c5"), "");
  EXPECT_EQ(unneeded("c6: c5; c5; b1", "b1 c5", "c6 b1"), "");
}

TEST(UnneededRoots, OneThatIsNotHereIsUnneeded) {
  EXPECT_EQ(unneeded("c6: c5; c5", "c5 gone", "c6"), "gone");
}

TEST(UnneededRoots, OneBehindAnotherIsUnneededUnlessReachedOnAnotherWay) {
  EXPECT_EQ(unneeded("c6: c5; c5: c4; c4: c3; c3", "c3 c5", "c6"), "c3");
  EXPECT_EQ(unneeded("c6: c5; c5: c4; c4: c3; c3; d1: c3", "c3 c5", "c6 d1"), "");
}

TEST(UnneededRoots, WithoutTipsNoneIsNeeded) {
  EXPECT_EQ(unneeded("c5", "c5", ""), "c5");
}

}  // namespace
}  // namespace pfetch::shallow
