#include "graph/paint.h"

#include <gtest/gtest.h>

#include "graph/commit_table.h"
#include "tests/graph/random_history.h"

namespace pfetch::graph {
namespace {

std::vector<std::uint32_t> numbers(const Roaring& set) {
  std::vector<std::uint32_t> members(set.cardinality());
  set.toUint32Array(members.data());
  return members;
}

struct Question {
  std::vector<std::optional<Position>> tips;
  std::vector<Position> marks;
  std::vector<bool> is_mark, is_stopped;

  Question(RandomHistory& history, std::size_t tip_count, std::size_t mark_count, std::size_t stopped_count)
      : is_mark(history.count()), is_stopped(history.count()) {
    for (std::size_t i = 0; i < tip_count; ++i) {
      tips.emplace_back();
      if (history.random()() % 20 != 0) tips.back() = static_cast<Position>(history.any());
    }
    for (std::size_t i = 0; i < mark_count; ++i) marks.push_back(static_cast<Position>(history.any()));
    for (const Position mark : marks) is_mark[mark] = true;
    for (std::size_t i = 0; i < stopped_count; ++i) is_stopped[history.any()] = true;
  }
  std::function<bool(Position)> stop() const {
    return [this](Position position) { return is_stopped[position]; };
  }
  // One walk for each tip.
  std::vector<std::vector<std::uint32_t>> plainly(const RandomHistory& history) const {
    std::vector<std::vector<std::uint32_t>> expected(marks.size());
    for (std::size_t tip = 0; tip < tips.size(); ++tip) {
      if (!tips[tip]) continue;
      const std::vector<bool> reached = history.reached_from(*tips[tip], is_mark, is_stopped);
      for (std::size_t i = 0; i < marks.size(); ++i) {
        if (reached[marks[i]]) expected[i].push_back(static_cast<std::uint32_t>(tip));
      }
    }
    return expected;
  }
};

TEST(Paint, AgreesWithOneWalkForEachTip) {
  for (unsigned seed = 0; seed < seed_count(150); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    RandomHistory history(seed, 20 + 17 * (seed % 30));
    const Question question(history, 1 + seed % 90, 1 + seed % 12, seed % 3 == 0 ? 3 : 0);
    const auto expected = question.plainly(history);
    std::size_t walked_without = 0;
    for (const std::size_t known : {std::size_t{0}, history.count() / 2, history.count()}) {
      HistoryGraph graph(history, known);
      const auto painted = paint(graph, question.tips, question.marks, question.stop());
      ASSERT_EQ(painted.size(), expected.size());
      for (std::size_t i = 0; i < painted.size(); ++i) EXPECT_EQ(numbers(painted[i]), expected[i]) << known;
      if (known == 0) walked_without = graph.commits_walked();
      EXPECT_LE(graph.commits_walked(), walked_without) << "generations save walking";
    }
  }
}

TEST(Paint, WalksEachCommitOnceWhateverTheNumberOfTips) {
  RandomHistory history(7, 3000);
  for (const std::size_t tip_count : {40, 5000, 100000}) {
    Question question(history, tip_count, 1, 0);
    question.marks = {0};
    HistoryGraph graph(history);
    const auto painted = paint(graph, question.tips, question.marks);
    EXPECT_LT(graph.commits_walked(), history.count());
    question.is_mark.assign(history.count(), false);
    question.is_mark[0] = true;
    if (tip_count <= 5000) {
      EXPECT_EQ(numbers(painted[0]), question.plainly(history)[0]);
    }
  }
}

TEST(Paint, WalksNothingWithoutMarksOrTips) {
  RandomHistory history(8, 50);
  HistoryGraph graph(history);
  EXPECT_TRUE(paint(graph, std::vector<std::optional<Position>>{40}, {}).empty());
  EXPECT_TRUE(paint(graph, {}, std::vector<Position>{1})[0].isEmpty());
  EXPECT_TRUE(paint(graph, std::vector<std::optional<Position>>{std::nullopt}, std::vector<Position>{1})[0].isEmpty());
  EXPECT_EQ(graph.commits_walked(), 0U);
}

TEST(Paint, ATipThatIsAMarkNeedsItselfAndNothingBelow) {
  RandomHistory history;
  history.commit({});
  history.commit({0});
  history.commit({1});
  HistoryGraph graph(history);
  const auto painted = paint(graph, std::vector<std::optional<Position>>{1, 2}, std::vector<Position>{0, 1, 1});
  EXPECT_TRUE(painted[0].isEmpty());
  EXPECT_EQ(numbers(painted[1]), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(numbers(painted[2]), (std::vector<std::uint32_t>{0, 1})) << "a mark named twice";
  EXPECT_EQ(graph.commits_walked(), 1U) << "the tip above the mark alone";
}

TEST(Paint, WalksNothingBelowTheLowestMarkWhereGenerationsAreKnown) {
  RandomHistory history;
  history.commit({});
  for (std::size_t i = 1; i < 100; ++i) history.commit({i - 1});
  history.commit({49});  // a branch that the mark is not on
  HistoryGraph graph(history, history.count());
  const auto painted = paint(graph, std::vector<std::optional<Position>>{99, 100}, std::vector<Position>{90});
  EXPECT_EQ(numbers(painted[0]), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(graph.commits_walked(), 9U);
}

TEST(Paint, WorksOverObjects) {
  RandomHistory history(9, 300);
  const Question question(history, 30, 5, 0);
  CommitTable table(history.objects);
  std::vector<std::optional<Position>> tips;
  for (const auto& tip : question.tips) tips.push_back(tip ? table.find(history.id(*tip)) : std::nullopt);
  std::vector<Position> marks;
  for (const Position mark : question.marks) marks.push_back(table.find(history.id(mark)).value());
  const auto painted = paint(table, tips, marks);
  const auto expected = question.plainly(history);
  for (std::size_t i = 0; i < painted.size(); ++i) EXPECT_EQ(numbers(painted[i]), expected[i]);
}

}  // namespace
}  // namespace pfetch::graph
