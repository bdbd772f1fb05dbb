// Histories made up by chance, as commit objects in memory, and what a plain search over their edges says of them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "graph/commit_graph.h"
#include "tests/support/fakes.h"
#include "tests/support/seeds.h"

namespace pfetch::graph {

using test::seed_count;

class RandomHistory {
 public:
  RandomHistory() = default;
  // `count` commits, parents before children: mostly with one parent near by, some merges, few octopuses and roots, and
  // clocks that run wrong now and then.
  RandomHistory(unsigned seed, std::size_t count) : random_(seed) {
    while (ids_.size() < count) {
      const unsigned dice = random_() % 100;
      const std::size_t wanted = dice < 3 ? 0 : dice < 75 ? 1 : dice < 95 ? 2 : 3 + random_() % 4;
      std::vector<std::size_t> parents;
      for (std::size_t i = 0; i < wanted && !ids_.empty(); ++i) {
        const std::size_t back = random_() % (random_() % 4 == 0 ? ids_.size() : std::min<std::size_t>(8, ids_.size()));
        const std::size_t parent = ids_.size() - 1 - back;
        if (std::find(parents.begin(), parents.end(), parent) == parents.end()) parents.push_back(parent);
      }
      commit(parents, 1000000 + 60 * static_cast<long>(ids_.size()) + (random_() % 10 == 0 ? -50000 : 0));
    }
  }

  // Adds a commit; returns its number.
  std::size_t commit(const std::vector<std::size_t>& parents, long date = 1000000) {
    std::string content = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";
    for (const std::size_t parent : parents) content += "parent " + ids_[parent].hex() + "\n";
    const std::string who = "A <a@x> " + std::to_string(date) + " +0000\n";
    content += "author " + who + "committer " + who + "\n" + std::to_string(ids_.size()) + "\n";
    ids_.push_back(objects.add(object::Kind::commit, content));
    parents_.push_back(parents);
    dates_.push_back(date);
    return ids_.size() - 1;
  }

  // A tag of `target`; of a tag, a tag of a tag.
  Oid tag(const Oid& target, const std::string& name) {
    const auto kind = objects.info(target)->kind;
    return objects.add(object::Kind::tag, "object " + target.hex() + "\ntype " + std::string(object::kind_name(kind)) +
                                              "\ntag " + name + "\n\nx\n");
  }

  std::size_t count() const { return ids_.size(); }
  const Oid& id(std::size_t number) const { return ids_[number]; }
  const std::vector<std::size_t>& parents(std::size_t number) const { return parents_[number]; }
  long date(std::size_t number) const { return dates_[number]; }
  std::mt19937& random() { return random_; }
  std::size_t any() { return random_() % ids_.size(); }

  // What `tip` reaches, by commit. The commits of `ends` are reached but not passed; those of `closed` are not entered.
  std::vector<bool> reached_from(std::size_t tip, const std::vector<bool>& ends = {},
                                 const std::vector<bool>& closed = {}) const {
    std::vector<bool> reached(count());
    std::vector<std::size_t> open{tip};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (reached[at] || (!closed.empty() && closed[at])) continue;
      reached[at] = true;
      if (!ends.empty() && ends[at]) continue;
      open.insert(open.end(), parents_[at].begin(), parents_[at].end());
    }
    return reached;
  }

  test::MemorySource objects;

 private:
  std::mt19937 random_;
  std::vector<Oid> ids_;
  std::vector<std::vector<std::size_t>> parents_;
  std::vector<long> dates_;
};

// Tips and wanted commits made up by chance, with tags, duplicates and ids that are not here among them.
struct ReachQuestion {
  std::vector<Oid> tips, wanted;
  std::vector<bool> expected;

  ReachQuestion(RandomHistory& history, unsigned seed) {
    std::vector<bool> reached(history.count());
    for (unsigned i = 0; i < 1 + seed % 7; ++i) {
      const std::size_t tip = history.any();
      const std::vector<bool> below = history.reached_from(tip);
      for (std::size_t at = 0; at < below.size(); ++at) reached[at] = reached[at] || below[at];
      Oid id = history.id(tip);
      for (unsigned tags = history.random()() % 3; tags > 0; --tags) id = history.tag(id, "t" + std::to_string(i));
      tips.push_back(id);
    }
    tips.push_back(history.objects.add(object::Kind::blob, "x"));
    tips.push_back(Oid::from_raw("not in the repository"));
    for (unsigned i = 0; i < 1 + seed % 9; ++i) {
      const std::size_t at = history.any();
      wanted.push_back(history.id(at));
      expected.push_back(reached[at]);
    }
    wanted.push_back(tips[0]);
    expected.push_back(true);
    wanted.push_back(Oid::from_raw("another that is nowhere"));
    expected.push_back(false);
  }
};

// A CommitGraph right over a RandomHistory: a commit's position is its number. With generations on request, those of
// the first `known` commits (parents come first, so what lies below a commit is known where it is).
class HistoryGraph : public CommitGraph {
 public:
  explicit HistoryGraph(const RandomHistory& history, std::size_t known = 0)
      : history_(history), walked_(history.count()) {
    for (std::size_t i = 0; i < history.count(); ++i) {
      std::uint64_t generation = 1;
      for (const std::size_t parent : history.parents(i)) generation = std::max(generation, generations_[parent] + 1);
      generations_.push_back(i < known ? generation : generation_unknown);
    }
  }
  std::optional<Position> find(const Oid& id) override {
    for (std::size_t i = 0; i < history_.count(); ++i) {
      if (history_.id(i) == id) return static_cast<Position>(i);
    }
    return std::nullopt;
  }
  const Oid& id_at(Position position) override { return history_.id(position); }
  std::span<const Position> parents(Position position) override {
    if (!walked_[position]) ++commits_walked_;
    walked_[position] = true;
    parents_.assign(history_.parents(position).begin(), history_.parents(position).end());
    return parents_;
  }
  std::uint64_t generation(Position position) override {
    parents_.clear();  // a view that is held longer than promised is found out
    return generations_[position];
  }
  std::int64_t date(Position position) override { return history_.date(position); }
  std::size_t commits_walked() const override { return commits_walked_; }

 private:
  const RandomHistory& history_;
  std::vector<std::uint64_t> generations_;
  std::vector<bool> walked_;
  std::vector<Position> parents_;
  std::size_t commits_walked_ = 0;
};

}  // namespace pfetch::graph
