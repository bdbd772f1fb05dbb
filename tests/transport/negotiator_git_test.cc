// The negotiators beside those of git: what `git fetch` proposes, as GIT_TRACE_PACKET shows it.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <sstream>

#include "store/reader.h"
#include "tests/support/seeds.h"
#include "tests/transport/git_repository.h"
#include "transport/negotiator.h"

namespace pfetch::transport {
namespace {

// `count` commits with branches, merges and several roots, each newer than its parents; a ref for every tenth.
std::string random_history(std::mt19937& random, int count) {
  std::ostringstream stream;
  const auto mark = [&](int below) { return 1 + static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int i = 1; i <= count; ++i) {
    stream << "commit refs/heads/work\nmark :" << i;
    stream << "\ncommitter A <a@x> " << 1700000000 + i << " +0000\ndata 1\nc\n";
    const bool is_root = i == 1 || random() % 40 == 0;
    if (is_root) {
      stream << "deleteall\n\nreset refs/heads/work\n\n";
      continue;
    }
    const int first = random() % 3 == 0 ? mark(i - 1) : i - 1;
    stream << "from :" << first << "\n";
    const int second = mark(i - 1);
    if (random() % 5 == 0 && second != first) stream << "merge :" << second << "\n";
    stream << "\n";
    if (random() % 10 == 0 || i == count) stream << "reset refs/heads/b" << i << "\nfrom :" << i << "\n\n";
  }
  return stream.str();
}

// What git proposes to a server that has nothing of it, in its order.
std::vector<std::string> proposals_of_git(const test::GitRepository& repository, const std::string& algorithm) {
  const std::string trace = repository.run(
      "rm -rf try && cp -r mine try && cd try && git config fetch.negotiationAlgorithm " + algorithm +
      " && GIT_TRACE_PACKET=1 git -c protocol.version=2 fetch -q ../src main 2>&1 | sed -n 's/.*fetch> have //p'");
  std::istringstream lines(trace);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  return all;
}

// Ours, for the same repository.
std::vector<std::string> our_proposals(const test::GitRepository& repository, NegotiationAlgorithm algorithm) {
  NegotiatorOptions options;
  std::istringstream tips(repository.run("git -C mine for-each-ref --format='%(objectname)'"));
  for (std::string tip; std::getline(tips, tip);) options.tips.push_back(*Oid::from_hex(tip));
  store::Reader source({repository.root() + "/mine/.git/objects"});
  std::vector<std::string> all;
  const auto negotiator = make_negotiator(algorithm, source, std::move(options));
  while (const auto id = negotiator->next()) all.push_back(id->hex());
  return all;
}

void import_history(const test::GitRepository& repository, const std::string& history) {
  repository.run("git init -q -b main mine");
  const std::string stream = repository.root() + "/stream";
  base::write_all(base::open_file(stream, O_WRONLY | O_CREAT).get(), base::as_bytes(history), stream);
  repository.run("git -C mine fast-import --quiet < stream");
}

TEST(NegotiatorsBesideGit, ConsecutiveProposesTheSameInTheSameOrder) {
  for (unsigned seed = 1; seed <= test::seed_count(4, 10); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    test::GitRepository repository;
    repository.commit(1);
    import_history(repository, random_history(random, 300));
    const auto ours = our_proposals(repository, NegotiationAlgorithm::consecutive);
    EXPECT_EQ(ours, proposals_of_git(repository, "consecutive"));
    EXPECT_GT(ours.size(), 50U);
  }
}

// On one line of history only: where it forks, git's own order is not that of the dates, since it has not read a
// commit yet when it puts it into its queue.
TEST(NegotiatorsBesideGit, SkippingKeepsTheSameDistances) {
  test::GitRepository repository;
  repository.commit(1);
  std::string history;
  for (int i = 1; i <= 300; ++i) {
    history += "commit refs/heads/work\ncommitter A <a@x> " + std::to_string(1700000000 + i) + " +0000\ndata 1\nc\n\n";
  }
  import_history(repository, history);
  const auto ours = our_proposals(repository, NegotiationAlgorithm::skipping);
  EXPECT_EQ(ours, proposals_of_git(repository, "skipping"));
  EXPECT_GT(ours.size(), 8U);
}

}  // namespace
}  // namespace pfetch::transport
