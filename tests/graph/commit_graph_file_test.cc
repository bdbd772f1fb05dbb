#include "graph/commit_graph_file.h"

#include <gtest/gtest.h>

#include "graph/commit_table.h"
#include "graph/walk_reachability.h"
#include "tests/graph/counting_source.h"
#include "tests/graph/git_history.h"

namespace pfetch::graph {
namespace {

struct Opened {
  explicit Opened(const std::vector<std::string>& directories) : graph(CommitGraphFile::open(directories, warnings)) {}
  std::vector<std::string> warnings;
  std::optional<CommitGraphFile> graph;
};

// Everything the file says of the first `count` commits, which it has and no others.
void expect_same(const CommitGraphFile& graph, const RandomHistory& history, std::size_t count) {
  EXPECT_EQ(graph.count(), count);
  std::vector<std::uint32_t> parents;
  for (std::size_t i = 0; i < history.count(); ++i) {
    const auto position = graph.find(history.id(i));
    ASSERT_EQ(position.has_value(), i < count);
    if (!position) continue;
    EXPECT_EQ(graph.id_at(*position), history.id(i));
    EXPECT_EQ(graph.date(*position), history.date(i));
    graph.read_parents(*position, parents);
    ASSERT_EQ(parents.size(), history.parents(i).size());
    for (std::size_t p = 0; p < parents.size(); ++p) {
      EXPECT_EQ(graph.id_at(parents[p]), history.id(history.parents(i)[p]));
      EXPECT_LT(graph.generation(parents[p]), graph.generation(*position));
    }
  }
}

std::uint64_t level(const RandomHistory& history, std::size_t commit) {
  std::uint64_t highest = 0;
  for (const std::size_t parent : history.parents(commit)) highest = std::max(highest, level(history, parent));
  return highest + 1;
}

TEST(CommitGraphFile, SaysWhatTheCommitsSay) {
  for (unsigned seed = 0; seed < seed_count(6, 20); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    RandomHistory history(seed, 60 + 40 * (seed % 10));
    const GitHistory repository(history);
    const std::string version = std::to_string(1 + seed % 2);
    repository.git("-c commitGraph.generationVersion=" + version + " commit-graph write --reachable 2>/dev/null");
    const Opened opened(repository.objects_directories());
    ASSERT_TRUE(opened.graph);
    EXPECT_TRUE(opened.warnings.empty());
    expect_same(*opened.graph, history, history.count());
    const std::uint64_t generation = opened.graph->generation(opened.graph->find(history.id(0)).value());
    EXPECT_EQ(generation, version == "1" ? 1U : static_cast<std::uint64_t>(history.date(0)));
  }
}

TEST(CommitGraphFile, ReadsCorrectedDatesBeyond31Bits) {
  RandomHistory history;
  history.commit({}, 0x3f0000000);  // a clock four centuries ahead
  history.commit({0}, 5);
  history.commit({1}, 6);
  const GitHistory repository(history);
  repository.git("commit-graph write --reachable 2>/dev/null");
  const Opened opened(repository.objects_directories());
  ASSERT_TRUE(opened.graph);
  expect_same(*opened.graph, history, 3);
  EXPECT_EQ(opened.graph->generation(opened.graph->find(history.id(2)).value()), 0x3f0000002U);
}

// Three layers; the uppermost written with the generation version given.
struct Chain {
  explicit Chain(const std::string& top_version) {
    repository.run("git for-each-ref --format='delete %(refname)' | git update-ref --stdin");
    repository.add_branches({40});
    write("2");
    repository.add_branches({80});
    write("2");
    repository.add_branches({117, 118, 119});
    write(top_version);
  }
  void write(const std::string& version) const {
    repository.git("-c commitGraph.generationVersion=" + version +
                   " commit-graph write --reachable --split=no-merge 2>/dev/null");
  }
  std::vector<std::string> layers() const {
    std::vector<std::string> paths;
    std::istringstream lines(repository.run("cat .git/objects/info/commit-graphs/commit-graph-chain"));
    for (std::string line; std::getline(lines, line);) {
      paths.push_back(repository.objects() + "/info/commit-graphs/graph-" + line + ".graph");
    }
    return paths;
  }
  std::uint64_t generation_of(std::size_t commit) const {
    const Opened opened(repository.objects_directories());
    return opened.graph->generation(opened.graph->find(history.id(commit)).value());
  }
  RandomHistory history{11, 120};
  GitHistory repository{history};
};

TEST(CommitGraphFile, ReadsChainsAndMixesNoGenerations) {
  for (const std::string version : {"2", "1"}) {
    const Chain chain(version);
    ASSERT_EQ(chain.layers().size(), 3U);
    const Opened opened(chain.repository.objects_directories());
    ASSERT_TRUE(opened.graph);
    EXPECT_TRUE(opened.warnings.empty());
    std::vector<std::uint32_t> parents;
    for (std::uint32_t position = 0; position < opened.graph->count(); ++position) {
      EXPECT_EQ(opened.graph->find(opened.graph->id_at(position)), position);
      opened.graph->read_parents(position, parents);
      for (const std::uint32_t parent : parents) {
        EXPECT_LT(opened.graph->generation(parent), opened.graph->generation(position));
      }
    }
    const std::uint64_t generation = chain.generation_of(40);
    EXPECT_EQ(generation == level(chain.history, 40), version == "1");
    EXPECT_EQ(generation >= static_cast<std::uint64_t>(chain.history.date(40)), version == "2");
  }
}

TEST(CommitGraphFile, UsesTheLayersBelowOneThatIsDamagedOrGone) {
  const Chain chain("2");
  const std::string top = chain.layers()[2];
  const Opened whole(chain.repository.objects_directories());
  std::string bytes = store::GitFixture::slurp(top);
  bytes[bytes.size() / 2] ^= 4;
  store::GitFixture::overwrite(top, bytes);
  const Opened damaged(chain.repository.objects_directories());
  ASSERT_EQ(damaged.warnings.size(), 1U);
  EXPECT_NE(damaged.warnings[0].find(top), std::string::npos) << damaged.warnings[0];
  ::unlink(top.c_str());
  const Opened gone(chain.repository.objects_directories());
  EXPECT_EQ(gone.warnings.size(), 1U);
  for (const Opened* part : {&damaged, &gone}) {
    ASSERT_TRUE(part->graph);
    EXPECT_TRUE(part->graph->find(chain.history.id(80)));
    EXPECT_LT(part->graph->count(), whole.graph->count());
  }
}

TEST(CommitGraphFile, FindsLayersInAlternates) {
  const Chain chain("2");
  const std::string other = chain.repository.path() + "/other";
  chain.repository.run("mkdir -p other/info/commit-graphs && mv " + chain.layers()[0] + " other/info/commit-graphs/");
  const Opened opened({chain.repository.objects(), other});
  ASSERT_TRUE(opened.graph);
  EXPECT_TRUE(opened.warnings.empty());
  EXPECT_TRUE(opened.graph->find(chain.history.id(40)));
}

TEST(CommitGraphFile, NoneIsNoWarning) {
  const store::GitFixture repository;
  const Opened opened({repository.objects(), "/no/such/directory"});
  EXPECT_FALSE(opened.graph);
  EXPECT_TRUE(opened.warnings.empty());
}

// With the checksum made right, so that all else is looked at: opened or refused, and what is opened can be asked.
TEST(CommitGraphFile, FlippedBitsAndTruncationsAreReadOrRefused) {
  RandomHistory history(5, 80);
  const GitHistory repository(history);
  repository.git("commit-graph write --reachable 2>/dev/null");
  const std::string path = repository.objects() + "/info/commit-graph";
  const std::string good = store::GitFixture::slurp(path);
  std::size_t refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bad = good;
    bad[history.random()() % (round % 2 == 0 ? 100 : bad.size() - 20)] ^=
        static_cast<char>(1U << history.random()() % 8);
    store::GitFixture::overwrite(path, round % 10 == 0 ? bad : test::with_right_checksum(bad));
    const Opened opened(repository.objects_directories());
    EXPECT_TRUE(opened.graph || !opened.warnings.empty());
    if (!opened.graph) ++refused;
    EXPECT_FALSE(round % 10 == 0 && opened.graph) << "a wrong checksum";
    if (!opened.graph) continue;
    std::vector<std::uint32_t> parents;
    for (std::uint32_t position = 0; position < opened.graph->count(); ++position) {
      EXPECT_EQ(opened.graph->find(opened.graph->id_at(position)), position);
      opened.graph->read_parents(position, parents);
      for (const std::uint32_t parent : parents) {
        EXPECT_LT(opened.graph->generation(parent), opened.graph->generation(position));
      }
    }
    CommitTable table(history.objects, {}, &*opened.graph);
    for (std::size_t i = 0; i < history.count(); ++i) {
      if (const auto position = table.find(history.id(i))) table.parents(*position);
    }
  }
  EXPECT_GT(refused, 400U);
  for (std::size_t size = 0; size < good.size(); size += 97) {
    store::GitFixture::overwrite(path, test::with_right_checksum(good.substr(0, size) + std::string(20, 'x')));
    const Opened opened(repository.objects_directories());
    EXPECT_FALSE(opened.graph) << size;
    EXPECT_EQ(opened.warnings.size(), 1U);
  }
}

TEST(CommitTable, TakesFromTheFileWhatItHasAndTheRestFromObjects) {
  for (unsigned seed = 0; seed < seed_count(6, 20); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    RandomHistory history(seed, 150);
    const GitHistory repository(history);
    repository.git("update-ref refs/heads/half " + history.id(75).hex());
    repository.git("commit-graph write --stdin-commits 2>/dev/null < .git/refs/heads/half");
    const Opened opened(repository.objects_directories());
    ASSERT_TRUE(opened.graph);
    CommitTable with(history.objects, {}, &*opened.graph), without(history.objects);
    const ReachQuestion question(history, seed);
    EXPECT_EQ(WalkReachability(with, history.objects).reached(question.tips, question.wanted), question.expected);
    for (std::size_t i = 0; i < history.count(); ++i) {
      const Position a = with.find(history.id(i)).value(), b = without.find(history.id(i)).value();
      EXPECT_EQ(with.date(a), without.date(b));
      EXPECT_EQ(with.generation(a) == generation_unknown, !opened.graph->find(history.id(i)));
      std::vector<Oid> ids;
      for (const Position parent : without.parents(b)) ids.push_back(without.id_at(parent));
      const auto parents = with.parents(a);
      ASSERT_EQ(parents.size(), ids.size());
      for (std::size_t p = 0; p < ids.size(); ++p) EXPECT_EQ(with.id_at(parents[p]), ids[p]);
    }
  }
}

TEST(CommitTable, DoesNotFindWhatOnlyTheFileHas) {
  RandomHistory history(6, 30);
  const GitHistory repository(history);
  repository.git("commit-graph write --reachable 2>/dev/null");
  const Opened opened(repository.objects_directories());
  history.objects.remove(history.id(29));
  CommitTable table(history.objects, {}, &*opened.graph);
  EXPECT_TRUE(table.find(history.id(28)));
  EXPECT_FALSE(table.find(history.id(29)));

  CountingSource objects(history.objects);
  CommitTable quick(objects, {}, &*opened.graph, [&](const Oid& id) { return history.objects.has(id); });
  EXPECT_TRUE(quick.find(history.id(28)));
  EXPECT_FALSE(quick.find(history.id(29)));
  EXPECT_EQ(objects.infos, 0U);
  const Oid blob = history.objects.add(object::Kind::blob, "x");
  EXPECT_FALSE(quick.find(blob)) << "what the file does not have is looked at";
}

}  // namespace
}  // namespace pfetch::graph
