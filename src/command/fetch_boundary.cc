#include "command/fetch_boundary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <unordered_set>

#include "base/error.h"
#include "object/peel.h"

namespace pfetch::command {

namespace {

using object::Oid;

constexpr std::size_t long_history_commits = 100;  // from there on it is worth a line

}  // namespace

void require_sensible_depth(const FetchArguments& arguments, const shallow::ShallowFile& boundary) {
  if (arguments.unshallow && !boundary.there) {
    throw Error(ErrorCode::refused, "--unshallow on a complete repository does not make sense");
  }
}

int shallow_wait_ms(const repo::Config& config) {
  return static_cast<int>(config.get_int("pfetch.shallowlocktimeout", 1000));
}

void require_free_boundary(const repo::Repository& repository) {
  if (repository.shallow_path().empty()) return;
  shallow::ShallowLock::take(repository.shallow_path(), shallow_wait_ms(repository.config()), repository.shared_mode())
      .rollback();
}

void remove_commit_graph(const repo::Repository& repository) {
  for (const char* name : {"/info/commit-graph", "/info/commit-graphs/commit-graph-chain"}) {
    const std::string path = repository.objects_dir() + name;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_errno(errno, "cannot remove", path);
  }
}

BoundaryVerdict::BoundaryVerdict(const FetchArguments& arguments, session::Holdings& here, FetchRetrieval& retrieval,
                                 const std::vector<FetchedRef>& refs)
    : retrieval_(retrieval), writes_fetch_head_(arguments.write_fetch_head) {
  if (retrieval.server_boundary().empty()) return;
  object::ObjectSource& objects = retrieval.objects();
  for (const FetchedRef& ref : refs) {
    updates_.push_back(
        {ref.local_name.empty() ? ref.remote_name : ref.local_name, object::commit_behind(objects, ref.id)});
  }
  const auto came = [&retrieval](const Oid& id) { return retrieval.has_arrived(id); };
  const auto history = here.history_with(objects, came, here.boundary().roots);
  shallow::ReconcileRequest request{retrieval.server_boundary(), updates_};
  if (arguments.update_shallow) request.new_roots = shallow::NewRoots::add;
  const shallow::ReconcileContext repository{
      .own = here.boundary(),
      .had = [&](const Oid& id) { return retrieval.had_root(id); },
      .came = came,
      .current_tips = here.tips(),
      .graph = history->graph(),
      .reachability = history->reachability(),
      .reachability_is_cheap = history->reachability_is_cheap(),
  };
  reconciliation_ = shallow::reconcile(request, repository);
  if (arguments.explain) explanation_ = shallow::explain(*reconciliation_, updates_, repository);
}

bool BoundaryVerdict::accepts(std::size_t at) const {
  return !reconciliation_ || reconciliation_->verdicts[at] == shallow::Verdict::accepted;
}

std::vector<std::string> BoundaryVerdict::warnings() const {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    if (accepts(i)) continue;
    warnings.push_back(
        fmt::format("rejected {} because shallow roots are not allowed to be updated", updates_[i].name));
  }
  return warnings;
}

shallow::ShallowEdit BoundaryVerdict::edit(const std::vector<RefDecision>& decisions) const {
  if (!reconciliation_) return retrieval_.edit();
  // A ref that keeps its value is no reason for a root; unless FETCH_HEAD has the new value all the same.
  std::unordered_set<std::string_view> rejected;
  for (const RefDecision& decision : decisions) {
    const bool is_recorded = writes_fetch_head_ && decision.for_merge != ForMerge::not_recorded;
    if (decision.kind == UpdateKind::rejected && !is_recorded) rejected.insert(decision.local_name);
  }
  return shallow::edit_for(*reconciliation_,
                           [&](std::uint32_t update) { return !rejected.contains(updates_[update].name); });
}

void warn_of_truncation(const FetchArguments& arguments, const session::Holdings& here, const FetchRetrieval& retrieval,
                        session::Reporter& reporter) {
  if (here.boundary().there || here.tips().empty() || retrieval.edit().add.empty() || arguments.dry_run) return;
  reporter.warn(
      "this repository was complete; the depth that was asked for cuts its history, that of all refs which reach one "
      "of the new roots ('pfetch fetch --unshallow' brings it back)");
}

void explain_long_history(const FetchArguments& arguments, session::Holdings& here, const FetchRetrieval& retrieval,
                          session::Reporter& reporter) {
  if (arguments.has_depth() || here.boundary().roots.empty()) return;
  const std::size_t older = retrieval.commits_before_boundary();
  if (older < long_history_commits) return;
  reporter.say(
      fmt::format("note: {} commits from before this repository's boundary came along, since something that was "
                  "fetched forks off there; with --depth or --shallow-since less would have come",
                  older));
}

}  // namespace pfetch::command
