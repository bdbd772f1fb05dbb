#include "command/prune_boundary.h"

#include "graph/commit_table.h"
#include "graph/walk_reachability.h"
#include "session/holdings.h"
#include "session/kept_history.h"
#include "shallow/prune.h"

namespace pfetch::command {

std::vector<object::Oid> prune_boundary(const repo::Repository& repository, int wait_ms) {
  if (!shallow::read_shallow_file(repository.shallow_path()).there) return {};
  shallow::ShallowLock lock = shallow::ShallowLock::take(repository.shallow_path(), wait_ms, repository.shared_mode());
  const shallow::ShallowFile own = lock.current();
  store::Reader objects(session::objects_directories(repository));
  graph::CommitTable graph(objects, own.roots);
  graph::WalkReachability reachability(graph, objects);
  const std::vector<object::Oid> tips = session::kept_history(repository);
  std::vector<object::Oid> unneeded = shallow::unneeded_roots(own, tips, reachability);
  lock.commit_merged({.add = {}, .remove = unneeded});
  return unneeded;
}

}  // namespace pfetch::command
