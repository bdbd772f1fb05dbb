#include "graph/walk_reachability.h"

#include <gtest/gtest.h>

#include "graph/commit_table.h"
#include "tests/graph/random_history.h"

namespace pfetch::graph {
namespace {

TEST(WalkReachability, AgreesWithAPlainSearch) {
  for (unsigned seed = 0; seed < seed_count(150); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    RandomHistory history(seed, 5 + 11 * (seed % 30));
    ReachQuestion question(history, seed);
    std::size_t walked_without = 0;
    for (const std::size_t known : {std::size_t{0}, history.count() / 2, history.count()}) {
      HistoryGraph graph(history, known);
      EXPECT_EQ(WalkReachability(graph, history.objects).reached(question.tips, question.wanted), question.expected)
          << known;
      if (known == 0) walked_without = graph.commits_walked();
      if (question.expected == std::vector<bool>(question.wanted.size())) {
        EXPECT_LE(graph.commits_walked(), walked_without) << "generations save walking";
      }
    }
  }
}

TEST(WalkReachability, WalksNothingInTheTrivialCases) {
  RandomHistory history(3, 60);
  HistoryGraph graph(history);
  WalkReachability walk(graph, history.objects);
  const std::vector<Oid> tips{history.id(59), history.id(20)};
  const std::vector<Oid> not_here{Oid::from_raw("not in the repository")};
  EXPECT_TRUE(walk.reached(tips, {}).empty());
  EXPECT_EQ(walk.reached({}, tips), (std::vector<bool>{false, false}));
  EXPECT_EQ(walk.reached(tips, std::vector<Oid>{tips[1], tips[0], tips[1]}), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(walk.reached(tips, not_here), std::vector<bool>{false});
  EXPECT_EQ(walk.reached(not_here, not_here), std::vector<bool>{true}) << "what is not here reaches itself";
  const std::vector<Oid> tag{history.tag(history.tag(history.id(30), "t"), "u")};
  EXPECT_EQ(walk.reached(tag, std::vector<Oid>{history.id(30)}), std::vector<bool>{true});
  EXPECT_EQ(graph.commits_walked(), 0U);
}

TEST(WalkReachability, StopsAsSoonAsAllIsFound) {
  RandomHistory history;
  history.commit({}, 0);
  for (std::size_t i = 1; i < 100; ++i) history.commit({i - 1}, static_cast<long>(i));
  HistoryGraph graph(history);
  WalkReachability walk(graph, history.objects);
  EXPECT_EQ(walk.reached(std::vector<Oid>{history.id(5), history.id(99)}, std::vector<Oid>{history.id(90)}),
            std::vector<bool>{true});
  EXPECT_EQ(graph.commits_walked(), 9U) << "the youngest first";
}

TEST(WalkReachability, StopsBelowTheLowestThatIsStillOpen) {
  RandomHistory history;
  history.commit({});
  for (std::size_t i = 1; i < 100; ++i) history.commit({i - 1});
  history.commit({89});  // above 89, beside the line
  HistoryGraph graph(history, history.count());
  WalkReachability walk(graph, history.objects);
  const std::vector<Oid> tip{history.id(99)};
  EXPECT_EQ(walk.reached(tip, std::vector<Oid>{history.id(100), history.id(95)}), (std::vector<bool>{false, true}));
  EXPECT_EQ(graph.commits_walked(), 9U);
}

}  // namespace
}  // namespace pfetch::graph
