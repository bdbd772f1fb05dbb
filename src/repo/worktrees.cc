#include "repo/worktrees.h"

#include <algorithm>

#include "base/fd.h"
#include "repo/loose_refs.h"
#include "repo/paths.h"

namespace pfetch::repo {

namespace {

constexpr std::size_t path_file_max = 1 << 16;  // bytes

void read_head(Worktree& worktree) {
  const LooseRef head = read_loose_ref(worktree.git_dir + "/HEAD");
  if (head.state == LooseRef::State::symbolic) worktree.head_branch = head.target;
  if (head.state == LooseRef::State::direct) worktree.head_id = head.id;
}

std::string without_git_suffix(const std::string& git_dir) {
  constexpr std::string_view suffix = "/.git";
  return git_dir.ends_with(suffix) ? git_dir.substr(0, git_dir.size() - suffix.size()) : git_dir;
}

}  // namespace

std::vector<Worktree> list_worktrees(const Repository& repository) {
  std::vector<Worktree> worktrees(1);
  Worktree& main = worktrees.front();
  main.git_dir = repository.common_dir();
  main.bare = repository.config().get_bool("core.bare", false);
  const bool is_known = !repository.is_linked_worktree() && repository.work_tree();
  main.path = main.bare ? main.git_dir : is_known ? *repository.work_tree() : without_git_suffix(main.git_dir);
  read_head(main);
  const std::string top = repository.common_dir() + "/worktrees";
  std::vector<std::string> names;
  base::list_names(top, names);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    Worktree linked;
    linked.git_dir = top + "/" + name;
    std::string path;
    if (!base::read_file_if_there(linked.git_dir + "/gitdir", path, path_file_max)) continue;
    while (!path.empty() && path.back() == '\n') path.pop_back();
    linked.path = without_git_suffix(path_below(linked.git_dir, path));
    read_head(linked);
    worktrees.push_back(std::move(linked));
  }
  return worktrees;
}

}  // namespace pfetch::repo
