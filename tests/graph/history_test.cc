#include "graph/history.h"

#include <gtest/gtest.h>

#include "store/reader.h"
#include "tests/graph/git_history.h"

namespace pfetch::graph {
namespace {

// A line of commits, with a commit-graph and bitmaps, read from the repository itself.
struct Repository {
  explicit Repository(std::size_t count = 60) {
    line.commit({});
    while (line.count() < count) line.commit({line.count() - 1});
    git = std::make_unique<GitHistory>(line);
    git->git("repack -qadb");
    git->git("commit-graph write --reachable 2>/dev/null");
    reader = std::make_unique<store::Reader>(git->objects_directories());
    options.objects_directories = git->objects_directories();
  }
  std::vector<Oid> tip() const { return {line.id(line.count() - 1)}; }

  RandomHistory line;
  std::unique_ptr<GitHistory> git;
  std::unique_ptr<store::Reader> reader;
  History::Options options;
};

TEST(History, UsesCommitGraphAndBitmaps) {
  Repository repository;
  History history(*repository.reader, repository.options);
  EXPECT_TRUE(history.reachability_is_cheap());
  EXPECT_EQ(history.reachability().reached(repository.tip(), std::vector<Oid>{repository.line.id(0)}),
            std::vector<bool>{true});
  CommitGraph& graph = history.graph();
  EXPECT_EQ(graph.commits_walked(), 0U);
  EXPECT_NE(graph.generation(graph.find(repository.tip()[0]).value()), generation_unknown);
  EXPECT_TRUE(history.warnings().empty());
}

TEST(History, WithoutBitmapsTheCommitGraphEndsWalksEarly) {
  Repository repository;
  repository.git->run("rm .git/objects/pack/*.bitmap");
  History history(*repository.reader, repository.options);
  EXPECT_FALSE(history.reachability_is_cheap());
  const std::vector<Oid> old{repository.line.id(50)};
  EXPECT_EQ(history.reachability().reached(repository.tip(), old), std::vector<bool>{true});
  EXPECT_EQ(history.graph().commits_walked(), 9U);
}

TEST(History, UsesNeitherWhereHistoryIsAltered) {
  for (const bool by_cuts : {false, true}) {
    Repository repository;
    History::Options options = repository.options;
    options.history_is_altered = !by_cuts;
    if (by_cuts) options.cuts = {repository.line.id(30)};
    History history(*repository.reader, options);
    EXPECT_FALSE(history.reachability_is_cheap());
    EXPECT_EQ(history.reachability().reached(repository.tip(), std::vector<Oid>{repository.line.id(3)}),
              std::vector<bool>{!by_cuts});
    CommitGraph& graph = history.graph();
    EXPECT_EQ(graph.commits_walked(), by_cuts ? 30U : 56U);
    EXPECT_EQ(graph.generation(graph.find(repository.tip()[0]).value()), generation_unknown);
    EXPECT_TRUE(history.warnings().empty());
  }
}

TEST(History, KeepsLongWalksOfAnAlteredHistory) {
  Repository repository(6000);
  const std::vector<Oid> tips{repository.line.id(5900)};
  const std::vector<Oid> wanted{repository.tip()[0], repository.line.id(1)};
  for (const std::string cache : {"", "/.git/pfetch/reachability"}) {
    for (const bool again : {false, true}) {
      History::Options options = repository.options;
      options.history_is_altered = true;
      if (!cache.empty()) options.cache_path = repository.git->path() + cache;
      History history(*repository.reader, options);
      EXPECT_EQ(history.reachability().reached(tips, wanted), (std::vector<bool>{false, true}));
      EXPECT_EQ(history.graph().commits_walked(), again && !cache.empty() ? 0U : 5901U);
    }
  }
}

TEST(History, SaysWhatIsDamagedAndDoesWithout) {
  Repository repository;
  for (const std::string pattern : {"pack/*.bitmap", "info/commit-graph"}) {
    const std::string path = repository.git->files(".git/objects/" + pattern).at(0);
    std::string bytes = store::GitFixture::slurp(path);
    bytes[bytes.size() / 2] ^= 1;
    store::GitFixture::overwrite(path, bytes);
  }
  History history(*repository.reader, repository.options);
  EXPECT_EQ(history.reachability().reached(repository.tip(), std::vector<Oid>{repository.line.id(0)}),
            std::vector<bool>{true});
  EXPECT_EQ(history.warnings().size(), 2U);
}

}  // namespace
}  // namespace pfetch::graph
