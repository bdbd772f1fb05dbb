#include "graph/cached_reachability.h"

#include <algorithm>
#include <unordered_set>

#include "graph/descent.h"
#include "object/peel.h"

namespace pfetch::graph {

namespace {

bool has(const std::optional<ReachabilityCache>& cache, const Oid& id) {
  return cache && cache->has(id);
}

}  // namespace

std::vector<bool> CachedReachability::reached(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) {
  WantedSet open(tips, wanted);
  if (open.done()) return open.answers(wanted);
  auto cache = ReachabilityCache::open(options_.path, options_.key);
  std::vector<Oid> tip_commits;
  for (const Oid& tip : tips) {
    tip_commits.push_back(has(cache, tip) ? tip : object::peeled(objects_, tip).value_or(tip));
  }
  if (cache && !holds(*cache, tip_commits)) cache.reset();
  for (const Oid& id : open.open()) {
    if (has(cache, id)) open.mark_reached(id);
  }
  if (open.done()) return open.answers(wanted);

  Descent descent(graph_, open);
  for (const Oid& tip : tip_commits) {
    if (has(cache, tip)) continue;
    if (const auto position = graph_.find(tip)) descent.start(*position);
  }
  descent.run([&](Position position) { return has(cache, graph_.id_at(position)); });
  if (descent.left_nothing_out()) keep(cache, tip_commits, descent.met());
  return open.answers(wanted);
}

// Whether all that is in the cache is reached from the tips: its tops are among them or below the new ones.
bool CachedReachability::holds(const ReachabilityCache& cache, const std::vector<object::Oid>& tip_commits) {
  const std::vector<Oid> tops = cache.tops();
  WantedSet open(tip_commits, tops);
  if (!open.done()) {
    Descent descent(graph_, open);
    for (const Oid& tip : tip_commits) {
      if (cache.has(tip)) continue;
      if (const auto position = graph_.find(tip)) descent.start(*position);
    }
    descent.run([&](Position position) { return cache.has(graph_.id_at(position)); });
  }
  const std::vector<bool> answers = open.answers(tops);
  return std::find(answers.begin(), answers.end(), false) == answers.end();
}

void CachedReachability::keep(const std::optional<ReachabilityCache>& cache,
                              const std::vector<object::Oid>& tip_commits, const std::vector<Position>& met) {
  std::vector<Oid> commits;
  std::vector<Oid> old_tops;
  if (cache) {
    commits = cache->commits();
    old_tops = cache->tops();
  }
  std::unordered_set<Oid> tops(old_tops.begin(), old_tops.end());
  const std::size_t kept = commits.size();
  for (const Position position : met) {
    const Oid id = graph_.id_at(position);
    if (!has(cache, id)) commits.push_back(id);
  }
  if (commits.size() - kept < options_.least) return;
  for (const Oid& tip : tip_commits) {
    if (!has(cache, tip)) tops.insert(tip);
  }
  for (const Position position : met) {
    if (has(cache, graph_.id_at(position))) continue;
    for (const Position parent : graph_.parents(position)) tops.erase(graph_.id_at(parent));
  }
  std::sort(commits.begin(), commits.end());
  std::erase_if(tops, [&](const Oid& id) { return !std::binary_search(commits.begin(), commits.end(), id); });
  ReachabilityCache::save(options_.path, options_.key, {tops.begin(), tops.end()}, commits);
}

}  // namespace pfetch::graph
