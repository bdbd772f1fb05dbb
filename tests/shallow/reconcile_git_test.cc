// reconcile beside `git fetch`: which refs git rejects, and what is in .git/shallow afterwards.
//
// Random small histories, a sender and a receiver that were cloned from them at different times and depths, and one
// fetch by git 2.39 or later with protocol v0, in which the sender tells its whole boundary. What git had and got is
// then given to reconcile.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "shallow/reconcile.h"
#include "tests/support/fake_graph.h"
#include "tests/support/scratch.h"
#include "tests/support/seeds.h"

namespace pfetch::shallow {
namespace {

using object::Oid;
using test::FakeGraph;
using test::FakeReachability;

unsigned seeds() {
  return test::seed_count(20, 10);
}

std::set<Oid> ids_in(const std::string& text) {
  std::set<Oid> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto id = Oid::from_hex(line.substr(0, Oid::hex_size))) found.insert(*id);
  }
  return found;
}

std::vector<Oid> listed(const std::set<Oid>& set) {
  return {set.begin(), set.end()};
}

class Fetch {
 public:
  explicit Fetch(unsigned seed) : random_(seed) {
    grow(4 + pick(8));
    clone("receiver", "", 3);
    if (pick(3) == 0) receiver_rewinds();
    grow(pick(4));
    clone("sender", "--bare ", 8);
    if (pick(4) != 0) sender_makes_a_branch();
    // Without any `have` the pack brings again what is here.
    fetch_ = std::string("-c protocol.version=0 -c fetch.negotiationAlgorithm=") + (pick(2) == 0 ? "noop" : "default") +
             " fetch --no-tags";
    map_ = "\"file://" + scratch_.path() + "/sender\" '+refs/heads/*:refs/remotes/s/*'";
  }

  // The same fetch, by git and by reconcile, into copies of the receiver.
  void compare(bool update_shallow, bool cheap) {
    const std::string copy = std::string("copy") + (update_shallow ? "-u" : "") + (cheap ? "-c" : "");
    scratch_.out_of("cp -r receiver " + copy);
    const ShallowFile own = read_shallow_file(scratch_ / "receiver/.git/shallow");
    const std::set<Oid> had = objects("receiver");
    const std::vector<Oid> tips =
        listed(ids_in(scratch_.out_of("git -C receiver for-each-ref --format='%(objectname)'; "
                                      "git -C receiver rev-parse HEAD")));
    const std::string unpack_limit = pick(2) == 0 ? "1" : "1000";
    const test::Ran ran = scratch_.run("git -C " + copy + " -c fetch.unpackLimit=" + unpack_limit + " " + fetch_ +
                                       (update_shallow ? " --update-shallow " : " ") + map_);
    SCOPED_TRACE(ran.out);
    const std::set<std::string> rejected = rejected_in(ran.out);
    ASSERT_TRUE(ran.ok());

    const std::set<Oid> sent = ids_that_came();
    FakeGraph graph = graph_of(copy);
    graph.cut(own.roots);
    FakeReachability reachability(graph);
    const std::vector<RefUpdate> updates = heads_of_sender();
    const std::vector<Oid> sender = read_shallow_file(scratch_ / "sender/shallow").roots;
    const Reconciliation result =
        reconcile({sender, updates, update_shallow ? NewRoots::add : NewRoots::refuse},
                  {own, [&](const Oid& id) { return had.contains(id); },
                   [&](const Oid& id) { return sent.contains(id); }, tips, graph, reachability, cheap});
    std::set<std::string> refused;
    for (std::size_t i = 0; i < updates.size(); ++i) {
      if (result.verdicts[i] == Verdict::needs_update_shallow) refused.insert(updates[i].name);
    }
    EXPECT_EQ(refused, rejected);
    EXPECT_EQ(format_shallow(merged(own.roots, result.edit)),
              format_shallow(read_shallow_file(scratch_ / copy + "/.git/shallow").roots));
    refs_rejected += rejected.size();
    roots_added += result.edit.add.size();
    for (const DroppedRoot& root : result.dropped) ++dropped_in[root.step];
  }

  static inline std::size_t refs_rejected = 0;
  static inline std::size_t roots_added = 0;
  static inline std::map<int, int> dropped_in;

 private:
  std::size_t pick(std::size_t below) { return random_() % below; }

  // Commits on branches of `origin`: each has none to three parents among those that are there.
  void grow(std::size_t count) {
    if (commits_ == 0) scratch_.out_of("git init -q -b main origin");
    std::ostringstream stream;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = ++commits_;
      const std::size_t parents = number == 1 || pick(10) == 0 ? 0 : pick(4) == 0 ? 2 + pick(2) : 1;
      const std::string branch = number == 1 || pick(3) == 0 ? "main" : "b" + std::to_string(pick(4));
      std::set<std::size_t> chosen;
      const std::size_t eligible = std::min<std::size_t>(number - 1, 5);
      while (chosen.size() < std::min(parents, eligible)) chosen.insert(number - 1 - pick(eligible));
      stream << "reset refs/heads/" << branch << "\n\ncommit refs/heads/" << branch << "\nmark :" << number
             << "\ncommitter C <c@x> " << 1700000000 + number << " +0000\ndata <<END\nm" << number << "\nEND\n";
      const char* kind = "from";
      for (const std::size_t parent : chosen) {
        stream << kind << " :" << parent << "\n";
        kind = "merge";
      }
      stream << "M 100644 inline f\ndata <<END\n" << number << "\nEND\n\n";
    }
    scratch_.write("stream", stream.str());
    scratch_.out_of(
        "cd origin; git fast-import --quiet --force --import-marks-if-exists=m --export-marks=m <../stream");
  }

  // One in `complete` has all of history.
  void clone(const std::string& name, const std::string& options, std::size_t complete) {
    const std::string depth = pick(complete) == 0 ? "" : " --depth " + std::to_string(1 + pick(5));
    scratch_.out_of("git clone -q --no-single-branch --no-tags " + options + depth + " \"file://$PWD/origin\" " + name);
  }

  // Some commits stay behind that no ref of the receiver reaches.
  void receiver_rewinds() {
    scratch_.out_of(
        "cd receiver; for r in $(git for-each-ref --format='%(refname)' refs/remotes/origin/b0 refs/remotes/origin/b1);"
        "do git update-ref -d $r; done; git update-ref HEAD $(git rev-parse -q --verify HEAD~1 || git rev-parse HEAD);"
        "git update-ref refs/remotes/origin/main HEAD");
  }

  // It forks from where the sender's history is cut, maybe below what current refs of the receiver have.
  void sender_makes_a_branch() {
    scratch_.out_of(
        "cd sender; base=$( (cat shallow 2>/dev/null || :; git rev-parse main) | head -1);"
        "git update-ref refs/heads/own $(git commit-tree -m own -p $base $base^{tree})");
  }

  std::set<Oid> objects(const std::string& repository) const {
    return ids_in(scratch_.out_of("git -C " + repository + " cat-file --batch-all-objects --batch-check"));
  }

  // What git's fetch into one more copy keeps as a pack, objects that were here already included.
  std::set<Oid> ids_that_came() {
    scratch_.out_of(
        "rm -rf keeping; cp -r receiver keeping; cd keeping; ls .git/objects/pack >../before;"
        "git -c fetch.unpackLimit=1 " +
        fetch_ + " -q --update-shallow " + map_ + "; ls .git/objects/pack >../after");
    return ids_in(
        scratch_.out_of("comm -13 before after | sed -n 's/\\.idx$//p' | while read p; do "
                        "git show-index <keeping/.git/objects/pack/$p.idx | cut -d' ' -f2; done"));
  }

  FakeGraph graph_of(const std::string& repository) const {
    // Without a shallow file git shows the parents that commits name, here or not.
    const std::string all = scratch_.bytes_of("cd " + repository +
                                              "; git cat-file --batch-all-objects --batch-check | "
                                              "sed -n 's/ commit .*//p' | GIT_SHALLOW_FILE= git log --stdin "
                                              "--no-walk=unsorted --format='%H %P'");
    FakeGraph graph;
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);) {
      std::vector<Oid> row;
      std::istringstream words(line);
      for (std::string hex; words >> hex;) row.push_back(Oid::from_hex(hex).value());
      graph.add(row.front(), {row.begin() + 1, row.end()});
    }
    return graph;
  }

  std::vector<RefUpdate> heads_of_sender() const {
    std::vector<RefUpdate> updates;
    std::istringstream lines(scratch_.out_of("git -C sender for-each-ref --format='%(refname:short) %(objectname)'"));
    for (std::string name, hex; lines >> name >> hex;) updates.push_back({name, Oid::from_hex(hex)});
    return updates;
  }

  // Git says it in a warning for each ref, and exits with 0.
  static std::set<std::string> rejected_in(const std::string& output) {
    const std::string before = "warning: rejected refs/remotes/s/", after = " because shallow roots are not allowed";
    std::set<std::string> names;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t end = line.find(after);
      if (!line.starts_with(before) || end == std::string::npos) continue;
      names.insert(line.substr(before.size(), end - before.size()));
    }
    return names;
  }

  std::mt19937 random_;
  test::Scratch scratch_;
  std::size_t commits_ = 0;
  std::string fetch_;  // git's arguments, without the repository
  std::string map_;    // the repository and the refs
};

TEST(ReconcileBesideGit, TheSameRefsAreRefusedAndTheSameRootsAdded) {
  for (unsigned seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    Fetch fetch(seed);
    for (const bool update_shallow : {false, true}) {
      fetch.compare(update_shallow, seed % 2 == 0);
      if (::testing::Test::HasFailure()) return;
    }
  }
  // The histories must be of all kinds, or the comparison says little.
  EXPECT_GT(Fetch::refs_rejected, 0u);
  EXPECT_GT(Fetch::roots_added, 0u);
  if (seeds() < 20) return;
  for (const int step : {2, 4, 5, 6, 7}) EXPECT_GT(Fetch::dropped_in[step], 0) << "step " << step;
}

}  // namespace
}  // namespace pfetch::shallow
