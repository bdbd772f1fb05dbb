#include "session/holdings.h"

#include <algorithm>

#include "base/error.h"
#include "graph/descent.h"
#include "graph/walk_reachability.h"
#include "session/refs_setup.h"

namespace pfetch::session {

namespace {

std::vector<std::string> objects_directories(const repo::Repository& repository) {
  std::vector<std::string> directories = {repository.objects_dir()};
  for (std::string& directory : repository.alternates().directories) directories.push_back(std::move(directory));
  return directories;
}

void sort_once(std::vector<object::Oid>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

std::vector<object::Oid> borrowed_tips(const std::vector<std::string>& objects_directories) {
  constexpr std::string_view suffix = "/objects";
  std::vector<object::Oid> tips;
  for (const std::string& objects : objects_directories) {
    if (!objects.ends_with(suffix)) continue;
    repo::RefsOptions options;
    options.git_dir = objects.substr(0, objects.size() - suffix.size());
    repo::Refs::open(options)->for_each("refs/", [&tips](const repo::Ref& ref) {
      if (!ref.is_broken() && !ref.id.is_null()) tips.push_back(ref.id);
      return true;
    });
  }
  return tips;
}

Holdings::Holdings(const repo::Repository& repository)
    : repository_(repository),
      ref_store_(repo::Refs::open(refs_options(repository))),
      refs_(ref_store_->list("refs/")),
      worktrees_(repo::list_worktrees(repository)),
      objects_(objects_directories(repository)),
      boundary_(shallow::read_shallow_file(repository.shallow_path())) {
  by_name_.reserve(refs_.size());
  for (const repo::Ref& ref : refs_) by_name_.emplace(ref.name, &ref);
  read_tips();
  open_graph();
}

void Holdings::open_graph() {
  graph_ = std::make_unique<graph::CommitTable>(objects_, boundary_.roots);
  reachability_ = std::make_unique<graph::WalkReachability>(*graph_, objects_);
}

void Holdings::take_over(const std::vector<object::Oid>& whole, const shallow::ShallowEdit& edit) {
  tips_.insert(tips_.end(), whole.begin(), whole.end());
  sort_once(tips_);
  boundary_.roots = shallow::merged(boundary_.roots, edit);
  boundary_.there = !boundary_.roots.empty();
  open_graph();
}

void Holdings::read_ahead(const std::stop_token& stop) {
  std::vector<graph::Position> pending;
  std::vector<bool> met;  // by position
  const auto meet = [&](graph::Position position) {
    if (position >= met.size()) met.resize(std::max(std::size_t{position} + 1, 2 * met.size()));
    if (met[position]) return;
    met[position] = true;
    pending.push_back(position);
  };
  try {
    for (const object::Oid& tip : tips_) {
      if (stop.stop_requested()) return;
      if (const auto position = graph::commit_at(*graph_, objects_, tip)) meet(*position);
    }
    while (!pending.empty() && !stop.stop_requested()) {
      const graph::Position position = pending.back();
      pending.pop_back();
      for (const graph::Position parent : graph_->parents(position)) meet(parent);
    }
  } catch (const Error&) {
    return;
  }
}

void Holdings::read_tips() {
  tips_ = borrowed_tips(repository_.alternates().directories);
  for (const repo::Ref& ref : refs_) {
    if (!ref.is_broken() && !ref.id.is_null()) tips_.push_back(ref.id);
  }
  for (const repo::Worktree& worktree : worktrees_) {
    if (!worktree.head_id.is_null()) tips_.push_back(worktree.head_id);
  }
  sort_once(tips_);
}

object::Oid Holdings::ref_id(const std::string& name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? object::Oid() : at->second->id;
}

bool Holdings::is_tip(const object::Oid& id) const {
  return std::binary_search(tips_.begin(), tips_.end(), id);
}

}  // namespace pfetch::session
