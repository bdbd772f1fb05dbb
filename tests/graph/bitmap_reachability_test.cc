#include "graph/bitmap_reachability.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/commit_table.h"
#include "graph/walk_reachability.h"
#include "tests/graph/counting_source.h"
#include "tests/graph/git_history.h"

namespace pfetch::graph {
namespace {

// A history of which git has packed the first `packed` commits with bitmaps; the others are outside.
struct PackedHistory {
  PackedHistory(unsigned seed, std::size_t count, std::size_t packed) : history(seed, count), packed_count(packed) {
    const GitHistory repository(history, packed);
    repository.git(seed % 2 == 0 ? "repack -qadb" : "multi-pack-index write --bitmap 2>/dev/null");
    bitmaps = BitmapFile::open(repository.objects_directories(), warnings);
  }
  RandomHistory history;
  std::size_t packed_count;
  std::vector<std::string> warnings;
  std::optional<BitmapFile> bitmaps;
};

TEST(BitmapReachability, AgreesWithAPlainSearchAndWalksLess) {
  std::size_t walked = 0, walked_plainly = 0;
  for (unsigned seed = 0; seed < seed_count(10, 10); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    PackedHistory packed(seed, 300 + 30 * (seed % 10), 200 + 20 * (seed % 10));
    ASSERT_TRUE(packed.bitmaps) << packed.warnings.at(0);
    for (unsigned round = 0; round < 20; ++round) {
      const ReachQuestion question(packed.history, seed + round);
      for (const std::size_t known : {std::size_t{0}, packed.packed_count}) {
        HistoryGraph graph(packed.history, known), plain(packed.history, known);
        BitmapReachability reachability(*packed.bitmaps, graph, packed.history.objects, packed.warnings);
        EXPECT_EQ(reachability.reached(question.tips, question.wanted), question.expected) << known;
        WalkReachability(plain, packed.history.objects).reached(question.tips, question.wanted);
        walked += graph.commits_walked();
        walked_plainly += plain.commits_walked();
      }
    }
    EXPECT_TRUE(packed.warnings.empty());
  }
  EXPECT_LT(walked, walked_plainly);
}

TEST(BitmapReachability, WalksOnlyWhatIsOutsideThePack) {
  PackedHistory packed(4, 90, 90);  // git stores a bitmap for each of less than 100 commits
  RandomHistory& history = packed.history;
  ASSERT_EQ(packed.bitmaps->stored_count(), 90U);
  const std::size_t top = history.commit({history.commit({history.commit({89})})});
  HistoryGraph graph(history);
  BitmapReachability reachability(*packed.bitmaps, graph, history.objects, packed.warnings);
  std::vector<Oid> all;
  std::vector<bool> reached_from_89;
  for (std::size_t i = 0; i < 90; ++i) {
    all.push_back(history.id(i));
    reached_from_89.push_back(history.reached_from(89)[i]);
  }
  EXPECT_EQ(reachability.reached(std::vector<Oid>{history.id(89)}, all), reached_from_89);
  EXPECT_EQ(reachability.reached(std::vector<Oid>{history.tag(history.id(89), "t")}, all), reached_from_89);
  EXPECT_EQ(graph.commits_walked(), 0U);
  EXPECT_EQ(reachability.reached(std::vector<Oid>{history.id(top)}, all), reached_from_89);
  EXPECT_EQ(graph.commits_walked(), 3U);
}

TEST(BitmapReachability, StopsAsSoonAsABitmapThatWasMetHasAllTheRest) {
  PackedHistory packed(4, 90, 90);
  RandomHistory& history = packed.history;
  std::size_t old_line = history.commit({}, 1);
  for (int i = 0; i < 20; ++i) old_line = history.commit({old_line}, 1);
  const std::size_t merge = history.commit({old_line, 89});
  HistoryGraph graph(history);
  BitmapReachability reachability(*packed.bitmaps, graph, history.objects, packed.warnings);
  const std::vector<Oid> wanted{history.id(history.parents(89)[0])};
  EXPECT_EQ(reachability.reached(std::vector<Oid>{history.id(merge)}, wanted), std::vector<bool>{true});
  EXPECT_EQ(graph.commits_walked(), 1U);
}

TEST(BitmapReachability, TipsThatOthersReachAreNotLookedAt) {
  PackedHistory packed(2, 300, 300);
  const RandomHistory& history = packed.history;
  std::size_t top = history.count() - 1;
  const auto has_bitmap = [&](const Oid& id) { return packed.bitmaps->stored_of(packed.bitmaps->find(id).value()); };
  while (!has_bitmap(history.id(top))) --top;
  const std::vector<bool> below = history.reached_from(top);
  std::vector<Oid> tips, wanted;
  for (std::size_t i = 0; i < history.count(); ++i) (below[i] ? tips : wanted).push_back(history.id(i));
  ASSERT_FALSE(std::all_of(tips.begin(), tips.end(), has_bitmap));
  ASSERT_FALSE(wanted.empty());
  HistoryGraph graph(history);
  CountingSource objects(packed.history.objects);
  BitmapReachability reachability(*packed.bitmaps, graph, objects, packed.warnings);
  EXPECT_EQ(reachability.reached(tips, wanted), std::vector<bool>(wanted.size()));
  EXPECT_EQ(graph.commits_walked(), 0U);
  EXPECT_EQ(objects.infos + objects.reads, 0U);
}

TEST(BitmapReachability, ATreeOfThePackIsNoCommitThatIsReached) {
  PackedHistory packed(6, 50, 50);
  HistoryGraph graph(packed.history);
  BitmapReachability reachability(*packed.bitmaps, graph, packed.history.objects, packed.warnings);
  const std::vector<Oid> tree{test::object_id(object::Kind::tree, "")};
  ASSERT_TRUE(packed.bitmaps->find(tree[0]));
  EXPECT_EQ(reachability.reached(std::vector<Oid>{packed.history.id(49)}, tree), std::vector<bool>{false});
}

// With the checksum made right damage shows when a bitmap is asked for, and the walk answers.
TEST(BitmapReachability, DamageThatShowsLateIsWalkedAround) {
  RandomHistory history(8, 40);
  const GitHistory repository(history);
  repository.git("repack -qadb");
  const std::string path = repository.files(".git/objects/pack/*.bitmap").at(0);
  const std::string good = store::GitFixture::slurp(path);
  std::size_t late = 0;
  for (std::size_t at = 32; at + 20 < good.size(); at += 2) {
    std::string bad = good;
    bad[at] ^= static_cast<char>(0x40);
    store::GitFixture::overwrite(path, test::with_right_checksum(bad));
    std::vector<std::string> warnings;
    auto bitmaps = BitmapFile::open(repository.objects_directories(), warnings);
    if (!bitmaps) continue;
    HistoryGraph graph(history);
    BitmapReachability reachability(*bitmaps, graph, history.objects, warnings);
    const ReachQuestion question(history, static_cast<unsigned>(at));
    const auto answer = reachability.reached(question.tips, question.wanted);
    if (warnings.empty()) continue;
    ++late;
    EXPECT_EQ(answer, question.expected);
    EXPECT_EQ(reachability.reached(question.tips, question.wanted), question.expected);
    EXPECT_EQ(warnings.size(), 1U) << "said once";
  }
  EXPECT_GT(late, 5U);
}

}  // namespace
}  // namespace pfetch::graph
