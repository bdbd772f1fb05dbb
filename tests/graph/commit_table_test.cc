#include "graph/commit_table.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/graph/counting_source.h"
#include "tests/graph/random_history.h"
#include "tests/support/error_message.h"

namespace pfetch::graph {
namespace {

TEST(CommitTable, KnowsParentsAndDatesOfEveryCommit) {
  const RandomHistory history(1, 500);
  CountingSource objects(const_cast<RandomHistory&>(history).objects);
  CommitTable table(objects);
  for (std::size_t i = 0; i < history.count(); ++i) {
    const auto position = table.find(history.id(i));
    ASSERT_TRUE(position);
    EXPECT_EQ(table.id_at(*position), history.id(i));
    EXPECT_EQ(table.date(*position), history.date(i));
    std::vector<Oid> parents;
    for (const Position parent : table.parents(*position)) parents.push_back(table.id_at(parent));
    std::vector<Oid> expected;
    for (const std::size_t parent : history.parents(i)) expected.push_back(history.id(parent));
    EXPECT_EQ(parents, expected);
    EXPECT_EQ(table.find(history.id(i)), position);
    table.parents(*position);
  }
  EXPECT_EQ(table.commits_walked(), 500U);
  EXPECT_EQ(objects.reads, 500U);
}

TEST(CommitTable, FindsWithoutInflating) {
  RandomHistory history(2, 5);
  const Oid tag = history.tag(history.id(0), "t");
  CountingSource objects(history.objects);
  CommitTable table(objects);
  EXPECT_TRUE(table.find(history.id(4)));
  EXPECT_FALSE(table.find(tag));
  EXPECT_FALSE(table.find(Oid{}));
  EXPECT_EQ(objects.reads, 0U);
  EXPECT_EQ(table.commits_walked(), 0U);
}

TEST(CommitTable, ACutCommitHasNoParentsAndIsNotInflatedForThem) {
  RandomHistory history;
  const std::size_t root = history.commit({});
  const std::size_t middle = history.commit({root}, 77);
  const std::size_t tip = history.commit({middle});
  history.objects.remove(history.id(root));
  CountingSource objects(history.objects);
  const std::vector<Oid> cuts{history.id(middle), history.id(root)};
  CommitTable table(objects, cuts);
  const Position at = table.find(history.id(middle)).value();
  EXPECT_TRUE(table.parents(at).empty());
  EXPECT_EQ(objects.reads, 0U);
  EXPECT_EQ(table.date(at), 77);
  EXPECT_TRUE(table.parents(at).empty());
  EXPECT_EQ(table.parents(table.find(history.id(tip)).value())[0], at);
}

TEST(CommitTable, NamesTheParentThatIsNotHereAndItsChild) {
  RandomHistory history;
  const std::size_t root = history.commit({});
  const std::size_t tip = history.commit({root});
  history.objects.remove(history.id(root));
  CommitTable table(history.objects);
  const Position at = table.find(history.id(tip)).value();
  const std::string message = test::error_message([&] { table.parents(at); }, ErrorCode::corrupt);
  EXPECT_NE(message.find(history.id(root).hex()), std::string::npos) << message;
  EXPECT_NE(message.find(history.id(tip).hex()), std::string::npos) << message;
  EXPECT_THROW(table.parents(at), Error) << "not only the first time";
}

TEST(CommitTable, RefusesAParentThatIsNoCommit) {
  RandomHistory history;
  const std::size_t root = history.commit({});
  const std::size_t tip = history.commit({root});
  history.objects.put(history.id(root), object::Kind::blob, "x");
  CommitTable table(history.objects);
  const std::string message =
      test::error_message([&] { table.parents(table.find(history.id(tip)).value()); }, ErrorCode::corrupt);
  EXPECT_NE(message.find("is a blob"), std::string::npos) << message;
}

}  // namespace
}  // namespace pfetch::graph
