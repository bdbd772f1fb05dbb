#include "session/holdings.h"

#include <algorithm>
#include <array>

#include "base/fd.h"
#include "graph/reachability_cache.h"
#include "session/refs_setup.h"

namespace pfetch::session {

namespace {

constexpr std::string_view replace_prefix = "refs/replace/";

}  // namespace

std::vector<std::string> objects_directories(const repo::Repository& repository) {
  std::vector<std::string> directories = {repository.objects_dir()};
  for (std::string& directory : repository.alternates().directories) directories.push_back(std::move(directory));
  return directories;
}

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
      objects_directories_(objects_directories(repository)),
      objects_(objects_directories_),
      boundary_(shallow::read_shallow_file(repository.shallow_path())) {
  by_name_.reserve(refs_.size());
  for (const repo::Ref& ref : refs_) by_name_.emplace(ref.name, &ref);
  read_tips();
  read_alterations();
  open_history();
}

void Holdings::read_alterations() {
  base::read_file_if_there(repository_.common_dir() + "/info/grafts", grafts_);
  const auto first = std::lower_bound(refs_.begin(), refs_.end(), replace_prefix,
                                      [](const repo::Ref& ref, std::string_view name) { return ref.name < name; });
  for (auto ref = first; ref != refs_.end() && ref->name.starts_with(replace_prefix); ++ref) {
    replacements_ += ref->name + " " + ref->id.hex() + "\n";
  }
}

graph::History::Options Holdings::history_options() const {
  graph::History::Options options;
  options.objects_directories = objects_directories_;
  options.history_is_altered = !grafts_.empty() || !replacements_.empty();
  return options;
}

void Holdings::open_history() {
  graph::History::Options options = history_options();
  options.has = [this](const object::Oid& id) { return objects_.contains(id); };
  options.cuts = boundary_.roots;
  options.cache_path = repository_.common_dir() + "/pfetch/reachability";
  options.cache_key = graph::reachability_key(std::array{boundary_.content, grafts_, replacements_});
  history_ = std::make_unique<graph::History>(objects_, std::move(options));
}

std::unique_ptr<graph::History> Holdings::history_with(object::ObjectSource& all,
                                                       std::function<bool(const object::Oid&)> has_arrived,
                                                       std::vector<object::Oid> cuts) {
  graph::History::Options options = history_options();
  options.has = [this, has_arrived = std::move(has_arrived)](const object::Oid& id) {
    return has_arrived(id) || objects_.contains(id);
  };
  options.cuts = std::move(cuts);
  return std::make_unique<graph::History>(all, std::move(options));
}

Before Holdings::before() {
  return {objects_, tips_, history_->reachability(), {}, [this](const object::Oid& id) { return objects_.stores(id); }};
}

void Holdings::take_over(const std::vector<object::Oid>& whole, const shallow::ShallowEdit& edit) {
  tips_.insert(tips_.end(), whole.begin(), whole.end());
  tips_ = object::sorted_unique(std::move(tips_));
  boundary_.roots = shallow::merged(boundary_.roots, edit);
  boundary_.there = !boundary_.roots.empty();
  boundary_.content = shallow::format_shallow(boundary_.roots);  // what is proven from here on is of that boundary
  open_history();
}

void Holdings::read_tips() {
  tips_ = borrowed_tips({objects_directories_.begin() + 1, objects_directories_.end()});
  for (const repo::Ref& ref : refs_) {
    if (!ref.is_broken() && !ref.id.is_null()) tips_.push_back(ref.id);
  }
  for (const repo::Worktree& worktree : worktrees_) {
    if (!worktree.head_id.is_null()) tips_.push_back(worktree.head_id);
  }
  tips_ = object::sorted_unique(std::move(tips_));
}

object::Oid Holdings::ref_id(const std::string& name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? object::Oid() : at->second->id;
}

bool Holdings::is_tip(const object::Oid& id) const {
  return std::binary_search(tips_.begin(), tips_.end(), id);
}

}  // namespace pfetch::session
