// A RandomHistory in a repository that git can work on.
#pragma once

#include <string>
#include <vector>

#include "tests/graph/random_history.h"
#include "tests/support/git_fixture.h"
#include "tests/support/pack_builder.h"

namespace pfetch::graph {

class GitHistory : public store::GitFixture {
 public:
  explicit GitHistory(RandomHistory& history) : GitHistory(history, history.count()) {}
  // The first `count` commits in one pack, and a branch on every one that no other of them has as its parent.
  GitHistory(RandomHistory& history, std::size_t count) : history_(history) {
    add_pack(0, count);
    std::vector<bool> has_child(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t parent : history.parents(i)) has_child[parent] = true;
    }
    std::vector<std::size_t> tips;
    for (std::size_t i = 0; i < count; ++i) {
      if (!has_child[i]) tips.push_back(i);
    }
    add_branches(tips);
  }

  // A pack of the commits from `first` to before `end`.
  void add_pack(std::size_t first, std::size_t end) const {
    std::vector<test::PackObject> objects{{object::Kind::tree, "", {}}};
    for (std::size_t i = first; i < end; ++i) {
      objects.push_back({object::Kind::commit, std::string(history_.objects.read(history_.id(i))->bytes.text()), {}});
    }
    write("new.pack", test::lay_out(objects, test::natural_order(objects.size())));
    git("index-pack --stdin < new.pack");
  }
  void add_branches(const std::vector<std::size_t>& commits) const {
    std::string edits;
    for (const std::size_t commit : commits) {
      edits += "update refs/heads/b" + std::to_string(commit) + " " + history_.id(commit).hex() + "\n";
    }
    write("edits", edits);
    git("update-ref --stdin < edits");
  }
  std::vector<std::string> objects_directories() const { return {objects()}; }

 private:
  RandomHistory& history_;
};

}  // namespace pfetch::graph
