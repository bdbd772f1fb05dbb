#include "graph/cached_reachability.h"

#include <gtest/gtest.h>

#include "graph/walk_reachability.h"
#include "tests/graph/random_history.h"
#include "tests/support/scratch.h"

namespace pfetch::graph {
namespace {

struct Cached {
  explicit Cached(RandomHistory& random_history, std::size_t least = 1) : history(random_history) {
    options = {scratch / "pfetch/reachability", 7, least};
  }
  // In a new process, as it were. `walked` is how many commits that took.
  std::vector<bool> reached(const std::vector<Oid>& tips, const std::vector<Oid>& wanted) {
    HistoryGraph graph(history);
    const auto answer = CachedReachability(graph, history.objects, options).reached(tips, wanted);
    walked = graph.commits_walked();
    return answer;
  }
  test::Scratch scratch;
  RandomHistory& history;
  CachedReachability::Options options;
  std::size_t walked = 0;
};

TEST(CachedReachability, AgreesWithAPlainSearchWhileRefsComeAndGo) {
  std::size_t walked = 0, walked_plainly = 0;
  for (unsigned seed = 0; seed < seed_count(40); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    RandomHistory history(seed, 200);
    Cached cached(history, seed % 2 == 0 ? 1 : 30);
    ReachQuestion refs(history, 6);
    for (unsigned round = 0; round < 20; ++round) {
      ReachQuestion question(history, seed + round);
      // Most tips stay, some are replaced, now and then all are others.
      if (round % 7 == 6) refs.tips = question.tips;
      refs.tips[history.random()() % refs.tips.size()] = question.tips[0];
      HistoryGraph graph(history);
      const auto expected = WalkReachability(graph, history.objects).reached(refs.tips, question.wanted);
      EXPECT_EQ(cached.reached(refs.tips, question.wanted), expected) << round;
      walked += cached.walked;
      walked_plainly += graph.commits_walked();
    }
  }
  EXPECT_LT(walked * 3, walked_plainly * 2);
}

struct Line {
  Line() {
    history.commit({});
    for (std::size_t i = 1; i < 100; ++i) history.commit({i - 1});
    beside = history.commit({50});
    nobody = history.commit({});
  }
  std::vector<Oid> id(std::size_t commit) const { return {history.id(commit)}; }
  RandomHistory history;
  std::size_t beside = 0, nobody = 0;
};

TEST(CachedReachability, WalksNothingTheSecondTimeAndOnlyNewCommitsAfterAFastForward) {
  Line line;
  Cached cached(line.history);
  EXPECT_EQ(cached.reached(line.id(90), line.id(line.nobody)), std::vector<bool>{false});
  EXPECT_EQ(cached.walked, 91U);
  EXPECT_EQ(cached.reached(line.id(90), line.id(line.nobody)), std::vector<bool>{false});
  EXPECT_EQ(cached.reached(line.id(90), line.id(3)), std::vector<bool>{true});
  EXPECT_EQ(cached.walked, 0U);
  EXPECT_EQ(cached.reached(line.id(99), line.id(line.nobody)), std::vector<bool>{false});
  EXPECT_EQ(cached.walked, 9U);
  EXPECT_EQ(cached.reached({line.history.tag(line.history.id(99), "t")}, line.id(95)), std::vector<bool>{true});
  EXPECT_EQ(cached.walked, 0U) << "what was walked the last time was kept too";
}

TEST(CachedReachability, DoesNotTrustWhatAnAbandonedTipReached) {
  Line line;
  Cached cached(line.history);
  cached.reached(line.id(90), line.id(line.nobody));
  EXPECT_EQ(cached.reached(line.id(line.beside), line.id(60)), std::vector<bool>{false});
  EXPECT_EQ(cached.walked, 52U);
  EXPECT_EQ(cached.reached(line.id(40), line.id(50)), std::vector<bool>{false}) << "a tip that was moved back";
}

TEST(CachedReachability, AMergedBranchMayGo) {
  Line line;
  Cached cached(line.history);
  cached.reached({line.history.id(90), line.history.id(70)}, line.id(line.nobody));
  EXPECT_EQ(cached.reached(line.id(90), line.id(60)), std::vector<bool>{true});
  EXPECT_EQ(cached.walked, 0U);
}

TEST(CachedReachability, AnotherKeyOrAnyDamageIsAsIfThereWereNone) {
  Line line;
  Cached cached(line.history);
  cached.reached(line.id(90), line.id(line.nobody));
  const std::string good = cached.scratch.read("pfetch/reachability");
  ASSERT_FALSE(good.empty());
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::string bad = good;
    bad[at] ^= 1;
    cached.scratch.write("pfetch/reachability", bad);
    EXPECT_FALSE(ReachabilityCache::open(cached.options.path, 7)) << at;
    cached.scratch.write("pfetch/reachability", good.substr(0, at));
    EXPECT_FALSE(ReachabilityCache::open(cached.options.path, 7)) << at;
  }
  EXPECT_EQ(cached.reached(line.id(90), line.id(line.nobody)), std::vector<bool>{false});
  EXPECT_EQ(cached.walked, 91U);
  EXPECT_TRUE(ReachabilityCache::open(cached.options.path, 7)) << "written again";
  EXPECT_FALSE(ReachabilityCache::open(cached.options.path, 8));
}

TEST(CachedReachability, KeepsNothingOfShortWalksOrOfThoseThatEndedEarly) {
  Line line;
  Cached cached(line.history, 60);
  cached.reached(line.id(30), line.id(line.nobody));
  EXPECT_EQ(cached.scratch.read("pfetch/reachability"), "");
  cached.reached(line.id(90), line.id(10));
  EXPECT_EQ(cached.scratch.read("pfetch/reachability"), "");
  cached.reached(line.id(90), line.id(line.nobody));
  EXPECT_NE(cached.scratch.read("pfetch/reachability"), "");
}

TEST(CachedReachability, ALockHeldByAnotherCostsOnlyTheCache) {
  Line line;
  Cached cached(line.history);
  cached.scratch.write("pfetch/reachability.lock", "");
  EXPECT_EQ(cached.reached(line.id(90), line.id(line.nobody)), std::vector<bool>{false});
  EXPECT_FALSE(ReachabilityCache::open(cached.options.path, 7));
}

}  // namespace
}  // namespace pfetch::graph
