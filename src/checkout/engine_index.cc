// The end of a checkout: which paths collided, and the index that describes what was written.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>

#include "base/trace.h"
#include "checkout/collisions.h"
#include "checkout/engine.h"

namespace pfetch::checkout {

namespace {

// A place in the walk through the plan: the next item of `directory`, whose node of the cache tree is `node`.
struct Step {
  const Directory* directory;
  std::size_t item;
  std::size_t path_size;  // of the directory's path with its slash
  std::size_t node;
};

class IndexWalk {
 public:
  explicit IndexWalk(const Plan& plan) : sorted_(plan.in_index_order()) { walk(plan.top()); }

  struct Line {
    std::string path;
    const FileSlot* file;
  };

  template <typename Add>
  void for_each(Add add) {
    for (const Line& line : lines_) add(line);
  }
  // Broken trees: the entries are sorted, of a path that is there twice the one that was written stays, and there is no
  // cache tree, which would vouch for the order.
  void sort() {
    if (sorted_) return;
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return a.path != b.path ? a.path < b.path : a.file->written && !b.file->written;
    });
    const auto twice = [](const Line& a, const Line& b) { return a.path == b.path; };
    lines_.erase(std::unique(lines_.begin(), lines_.end(), twice), lines_.end());
    nodes_.clear();
  }
  const std::vector<CacheTreeNode>& nodes() const { return nodes_; }
  std::size_t size() const { return lines_.size(); }

 private:
  std::size_t add_node(const Directory& directory) {
    nodes_.push_back({directory.name, 0, 0, directory.tree_id});
    return nodes_.size() - 1;
  }

  void walk(const Directory& top) {
    std::string path;
    std::vector<Step> steps = {{&top, 0, 0, add_node(top)}};
    while (!steps.empty()) {
      Step& step = steps.back();
      path.resize(step.path_size);
      if (step.item == step.directory->items.size()) {
        const std::int64_t count = nodes_[step.node].entry_count;
        steps.pop_back();
        if (!steps.empty()) nodes_[steps.back().node].entry_count += count;
        continue;
      }
      const PlanItem& item = step.directory->items[step.item++];
      if (item.file != nullptr) {
        path += item.file->name;
        lines_.push_back({path, item.file});
        ++nodes_[step.node].entry_count;
      } else {
        path += item.directory->name;
        path += '/';
        ++nodes_[step.node].subtree_count;
        steps.push_back({item.directory, 0, path.size(), add_node(*item.directory)});
      }
    }
  }

  const bool sorted_;
  std::vector<Line> lines_;
  std::vector<CacheTreeNode> nodes_;
};

}  // namespace

void Engine::write_index(base::LockFile& lock) {
  const base::TraceSpan span("write index file");
  IndexWalk walk(plan_);
  walk.sort();
  IndexWriter writer(lock, walk.size());
  walk.for_each([&](const IndexWalk::Line& line) {
    writer.add({line.path, line.file->mode, line.file->id(), line.file->stat});
  });
  writer.finish(walk.nodes());
}

// Files that had to give way to a directory of the same folded name are no longer where they were written.
void Engine::find_displaced() {
  for (FileSlot& file : plan_.files()) {
    if (!file.written || file.mode == object::mode_gitlink) continue;
    std::string_view leaf;
    const auto directory = delivery_.directories().open_for(*file.directory, file.name, leaf);
    struct stat info {};
    const bool there = ::fstatat(directory->get(), std::string(leaf).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && index_stat(info).ino == file.stat.ino) continue;
    file.written = false;
    file.stat = {};
    delivery_.collided().push_back(&file);
  }
}

// The worktree was empty, so all that stands in the way of a file is the checkout's own.
std::vector<std::string> Engine::collided_paths() {
  if (delivery_.directories().displaced_any()) find_displaced();
  const Collisions found = find_collisions(delivery_.directories().top(), plan_.files(), delivery_.collided());
  std::vector<std::string> paths;
  std::merge(found.collided.begin(), found.collided.end(), found.theirs.begin(), found.theirs.end(),
             std::back_inserter(paths));
  return paths;
}

}  // namespace pfetch::checkout
