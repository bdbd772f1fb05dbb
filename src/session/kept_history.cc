#include "session/kept_history.h"

#include <array>

#include "repo/refs.h"
#include "repo/worktrees.h"
#include "session/refs_setup.h"

namespace pfetch::session {

namespace {

constexpr std::array special_refs = {"HEAD",        "ORIG_HEAD",   "FETCH_HEAD",  "MERGE_HEAD", "CHERRY_PICK_HEAD",
                                     "REVERT_HEAD", "REBASE_HEAD", "BISECT_HEAD", "AUTO_MERGE"};

void add_worktree(const repo::Refs& refs, std::vector<object::Oid>& ids) {
  const auto add = [&ids](const object::Oid& id) {
    if (!id.is_null()) ids.push_back(id);
  };
  refs.for_each("refs/", [&](const repo::Ref& ref) {
    add(ref.id);
    return true;
  });
  for (const char* name : special_refs) {
    if (const auto ref = refs.read(name); ref && !ref->is_broken()) add(ref->id);
  }
  for (const std::string& name : refs.list_logs()) {
    repo::for_each_reflog_entry(refs.log_of(name), [&](const repo::ReflogEntry& entry) {
      add(entry.old_id);
      add(entry.new_id);
      return true;
    });
  }
}

}  // namespace

std::vector<object::Oid> kept_history(const repo::Repository& repository) {
  std::vector<object::Oid> ids;
  repo::RefsOptions options = refs_options(repository);
  for (const repo::Worktree& worktree : repo::list_worktrees(repository)) {
    options.git_dir = worktree.git_dir;
    add_worktree(*repo::Refs::open(options), ids);
  }
  return object::sorted_unique(std::move(ids));
}

}  // namespace pfetch::session
