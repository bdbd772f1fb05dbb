#include "checkout/tree_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "checkout/tree_cursor.h"

namespace pfetch::checkout {

namespace {

std::string_view without_slash(std::string_view directory) {
  return directory.substr(0, directory.empty() ? 0 : directory.size() - 1);
}

bool by_path(const ListedPath& one, const ListedPath& other) {
  return one.path < other.path;
}

// `admits(directory, entry)` says what is listed and entered.
template <typename Admits>
class Lister {
 public:
  Lister(object::ObjectSource& objects, Admits admits) : objects_(objects), admits_(admits) {}

  TreeList list(const std::optional<object::Oid>& tree) {
    walk(tree);
    if (!std::is_sorted(list_.paths.begin(), list_.paths.end(), by_path)) {
      std::stable_sort(list_.paths.begin(), list_.paths.end(), by_path);
    }
    return std::move(list_);
  }

 private:
  void walk(const std::optional<object::Oid>& tree) {
    bool odd = false;  // it does not matter: the list is sorted
    for (TreeCursor at(objects_, tree, odd); at.entry() != nullptr; at.advance()) {
      const object::TreeEntry& entry = *at.entry();
      if (!admits_(directory_, entry)) continue;
      if (!entry.is_tree()) {
        list_.paths.push_back({list_.names.keep(directory_, entry.name), side_of(entry)});
        continue;
      }
      const std::size_t size = directory_.size();
      directory_.append(entry.name).append("/");
      walk(entry.id());  // as deep as a path is long: bounded by path_bytes_max
      directory_.resize(size);
    }
  }

  object::ObjectSource& objects_;
  Admits admits_;
  std::string directory_;
  TreeList list_;
};

// The names of a wanted tree as far as a pathspec means them. A directory may be entered for nothing, so what it is
// called counts only in the paths that are found.
class MeantNames {
 public:
  MeantNames(const PlanRules& rules, const object::Pathspec& pathspec, const object::PathspecAttributeTest& attributes)
      : rules_(rules), pathspec_(pathspec), attributes_(attributes) {}

  bool admits(std::string_view directory, const object::TreeEntry& entry) {
    check_path_count(rules_, without_slash(directory), entry.name, count_++);
    path_.assign(directory).append(entry.name);
    const bool meant =
        entry.is_tree() ? pathspec_.may_match_below(path_) : pathspec_.matches(path_, entry.is_gitlink(), attributes_);
    // No file can be below a directory that is too long for one.
    if (meant && (!entry.is_tree() || path_.size() > object::path_bytes_max)) check_path(rules_, path_, entry.mode);
    return meant;
  }

 private:
  const PlanRules rules_;
  const object::Pathspec& pathspec_;
  const object::PathspecAttributeTest& attributes_;
  std::string path_;
  std::uint64_t count_ = 0;
};

void refuse_clashes(const std::optional<object::Oid>& tree, const std::vector<ListedPath>& paths) {
  std::vector<std::string_view> heads;  // each begins as the one before; the path begins as all of them
  for (const ListedPath& listed : paths) {
    const std::string_view path = listed.path;
    while (!heads.empty() && !path.starts_with(heads.back())) heads.pop_back();
    for (const std::string_view head : heads) {
      if (path.size() != head.size() && path[head.size()] != '/') continue;
      throw Error(ErrorCode::corrupt, fmt::format("tree {} has '{}' twice, and cannot be checked out",
                                                  tree.value_or(object::Oid()).hex(), head));
    }
    heads.push_back(path);
  }
}

}  // namespace

void WantedNames::admit(std::string_view directory, const object::TreeEntry& entry) {
  check_name(rules_, without_slash(directory), entry);
  check_path_count(rules_, without_slash(directory), entry.name, count_++);
}

bool FormerNames::admits(std::string_view directory, const object::TreeEntry& entry) {
  check_path_count(rules_, without_slash(directory), entry.name, count_++);
  return directory.size() + entry.name.size() <= object::path_bytes_max;
}

TreeList list_former(object::ObjectSource& objects, const std::optional<object::Oid>& tree, const PlanRules& rules) {
  FormerNames names(rules);
  const auto admits = [&](std::string_view directory, const auto& entry) { return names.admits(directory, entry); };
  TreeList list = Lister(objects, admits).list(tree);
  const auto twice = [](const ListedPath& one, const ListedPath& other) { return one.path == other.path; };
  list.paths.erase(std::unique(list.paths.begin(), list.paths.end(), twice), list.paths.end());
  return list;
}

TreeList list_wanted(object::ObjectSource& objects, const std::optional<object::Oid>& tree, const PlanRules& rules) {
  WantedNames names(rules);
  const auto admits = [&](std::string_view directory, const auto& entry) {
    names.admit(directory, entry);
    return true;
  };
  TreeList list = Lister(objects, admits).list(tree);
  refuse_clashes(tree, list.paths);
  return list;
}

TreeList list_meant(object::ObjectSource& objects, const object::Oid& tree, const PlanRules& rules,
                    const object::Pathspec& pathspec, const object::PathspecAttributeTest& attributes) {
  MeantNames names(rules, pathspec, attributes);
  const auto admits = [&](std::string_view directory, const auto& entry) { return names.admits(directory, entry); };
  TreeList list = Lister(objects, admits).list(tree);
  refuse_clashes(tree, list.paths);
  return list;
}

TreeList list_index(const Index& index) {
  TreeList list;
  for (const IndexEntry& entry : index.entries) {
    if (list.paths.empty() || list.paths.back().path != entry.path) list.paths.push_back({entry.path, side_of(entry)});
  }
  return list;
}

}  // namespace pfetch::checkout
