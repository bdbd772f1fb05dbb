#include "shallow/depth_window.h"

#include <gtest/gtest.h>

#include "tests/support/fake_graph.h"

namespace pfetch::shallow {
namespace {

using object::Oid;
using test::FakeGraph;
using test::ids;
using test::named;

constexpr const char* line = "c6: c5; c5: c4; c4: c3; c3: c2; c2: c1; c1";

// A repository with this history, cut at these roots.
struct Cut {
  Cut(std::string_view history, std::string_view roots) : graph(history) {
    own.roots = object::sorted_unique(ids(roots));
    graph.cut(roots);
  }
  bool exact(std::string_view tips, int depth) { return depth_window(graph, own, ids(tips), depth).exact; }
  std::vector<std::size_t> inside(std::string_view kept, int depth, std::string_view lines) {
    return falls_inside(graph, own, ids(kept), depth, ids(lines));
  }

  FakeGraph graph;
  ShallowFile own;
};

TEST(DepthWindow, ATipIsExactWhenLevelNIsListedAndNothingAbove) {
  EXPECT_TRUE(Cut(line, "c4").exact("c6", 3));
  EXPECT_FALSE(Cut(line, "c5").exact("c6", 3));  // too short
  EXPECT_FALSE(Cut(line, "c3").exact("c6", 3));  // too long
  EXPECT_FALSE(Cut(line, "").exact("c6", 3));
}

TEST(DepthWindow, AtDepthOneTheTipItselfIsListedAndNothingIsWalked) {
  Cut cut("c6: c5; b2: b1", "c6 b2");
  EXPECT_TRUE(cut.exact("c6 b2", 1));
  EXPECT_FALSE(Cut(line, "b2").exact("c6 b2", 1));
  EXPECT_FALSE(cut.exact("c7", 1));  // not here
  EXPECT_EQ(cut.graph.commits_walked(), 0u);
}

TEST(DepthWindow, AHistoryThatEndsByItself) {
  EXPECT_TRUE(Cut(line, "").exact("c6", 7));   // above level N: no root, as git's server does it
  EXPECT_FALSE(Cut(line, "").exact("c6", 6));  // at level N: to be listed
  EXPECT_TRUE(Cut(line, "c1").exact("c6", 6));
  EXPECT_FALSE(Cut(line, "c1").exact("c6", 7));
  EXPECT_TRUE(Cut("r", "r").exact("r", 1));
}

TEST(DepthWindow, LevelsCountTheShortestWay) {
  // s1 is at level 2 by the short way, so its parent is at level 3.
  constexpr const char* merge = "m: c2 s1; c2: c1; c1: s1; s1: s0; s0: r; r";
  EXPECT_TRUE(Cut(merge, "c1 s0").exact("m", 3));
  EXPECT_FALSE(Cut(merge, "c1 s1").exact("m", 3));
}

TEST(DepthWindow, TheTipsOfOneRequestCountTogether) {
  EXPECT_TRUE(Cut(line, "c2").exact("c5 c4", 3));  // what git's server answers for both
  EXPECT_FALSE(Cut(line, "c3").exact("c5 c4", 3));
  EXPECT_FALSE(Cut(line, "c2").exact("c5", 3));
  EXPECT_FALSE(Cut(line, "c2").exact("c5 c4 x", 3));
}

TEST(DepthWindow, AMissingCommitIsNotExactAndNoError) {
  EXPECT_FALSE(Cut("c6: c5; c5: gone", "").exact("c6", 3));
  EXPECT_FALSE(Cut(line, "c4").exact("c6 gone", 3));
}

TEST(DepthWindow, WalksNoCommitAtLevelNOrBelow) {
  Cut cut(line, "");
  cut.exact("c6", 3);
  EXPECT_EQ(cut.graph.commits_walked(), 2u);  // c6 and c5
}

TEST(DepthWindow, SaysWhichCommitsAreInside) {
  Cut cut(line, "c4");
  const DepthWindow window = depth_window(cut.graph, cut.own, ids("c6"), 4);
  EXPECT_FALSE(window.exact);
  std::string inside;
  for (const graph::Position position : window.inside) inside += test::name_of(cut.graph.id_at(position)) + " ";
  EXPECT_EQ(inside, "c6 c5 ");
}

// Tips c5 and c4 at depth 3; c4 moves to c6, and asking for c6 alone would list c4.
TEST(FallsInside, NamesTheKeptTipThatWouldLoseCommits) {
  Cut cut(line, "c2");
  EXPECT_EQ(cut.inside("c5", 3, "c4"), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(cut.inside("c5", 3, "c3").empty());  // at level 3, where its own window ends
  EXPECT_TRUE(cut.inside("c5", 3, "c2").empty());
  EXPECT_EQ(cut.inside("c2 c5 c6 c4", 3, "c4"), (std::vector<std::size_t>{1, 3}));
}

TEST(FallsInside, LinesThatCutNothingWalkNoWindow) {
  Cut cut("c6: c5; c5: c4; c4: c3; c3; r", "c3");
  EXPECT_TRUE(cut.inside("c6 r", 4, "c3 gone").empty());
  EXPECT_EQ(cut.graph.commits_walked(), 0u);
  EXPECT_TRUE(cut.inside("c6 r", 4, "r").empty());  // has no parents
  EXPECT_EQ(cut.graph.commits_walked(), 1u);
}

}  // namespace
}  // namespace pfetch::shallow
