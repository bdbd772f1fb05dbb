#include "command/fetch_publish.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/fd.h"
#include "base/lock_file.h"
#include "command/fetch_boundary.h"
#include "object/peel.h"
#include "object/ref_name.h"
#include "repo/ref_transaction.h"
#include "session/refs_setup.h"

namespace pfetch::command {

namespace {

repo::RefUpdate update_for(const RefDecision& decision, const std::string& reflog) {
  repo::RefUpdate update;
  update.name = decision.local_name;
  update.new_id = decision.new_id;
  update.old_id = decision.old_id;
  update.message = decision.kind == UpdateKind::deleted ? reflog : fmt::format("{}: {}", reflog, decision.reflog);
  update.peel_known = decision.new_is_commit;
  update.no_deref = decision.kind == UpdateKind::deleted;
  return update;
}

// The boundary, moved by `edit`. Whoever changed it meanwhile is respected.
class BoundaryChange {
 public:
  BoundaryChange(const shallow::ShallowEdit& edit, const repo::Repository& repository, int wait_ms)
      : edit_(edit), repository_(repository), wait_ms_(wait_ms) {
    if (!edit_.empty()) lock_ = take();
  }

  void publish() {
    if (edit_.empty()) return;
    if (!edit_.add.empty() && !base::path_exists(repository_.shallow_path())) remove_commit_graph(repository_);
    lock_.commit_merged(edit_);
  }

  // A gc that read the refs before us has taken roots for unneeded that we need: they are put back.
  void look_again() {
    if (edit_.add.empty()) return;
    const shallow::ShallowFile now = shallow::read_shallow_file(repository_.shallow_path());
    const bool all_there =
        std::all_of(edit_.add.begin(), edit_.add.end(), [&now](const object::Oid& id) { return now.has(id); });
    if (!all_there) take().commit_merged({.add = edit_.add, .remove = {}});
  }

 private:
  shallow::ShallowLock take() const {
    return shallow::ShallowLock::take(repository_.shallow_path(), wait_ms_, repository_.shared_mode());
  }

  const shallow::ShallowEdit& edit_;
  const repo::Repository& repository_;
  const int wait_ms_;
  shallow::ShallowLock lock_;
};

class RefChange {
 public:
  enum class Which { all, deletions, others };

  RefChange(std::vector<RefDecision>& decisions, Which which, session::Holdings& here, const PublishOptions& options)
      : decisions_(decisions) {
    repo::RefsOptions refs = here.ref_store()->options();
    object::ObjectSource& objects = here.objects();
    refs.peel = [&objects](const object::Oid& id) { return object::peeled(objects, id); };
    // All that was asked for has been proven to be here; but a branch must be a commit.
    const bool moves_branch = std::any_of(decisions_.begin(), decisions_.end(), [](const RefDecision& decision) {
      return object::is_branch_name(decision.local_name);
    });
    if (moves_branch) {
      refs.kind_of = [&objects](const object::Oid& id) -> std::optional<object::Kind> {
        const auto info = objects.info(id);
        return info ? std::optional(info->kind) : std::nullopt;
      };
    }
    const std::string ident = session::committer_line(here.repository().config());
    transaction_.emplace(repo::Refs::open(std::move(refs)),
                         repo::RefTransactionOptions{.atomic = options.atomic, .ident = ident});
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      const bool is_deletion = decisions_[i].kind == UpdateKind::deleted;
      if (!decisions_[i].changes_ref() || which == (is_deletion ? Which::others : Which::deletions)) continue;
      transaction_->update(update_for(decisions_[i], options.reflog));
      of_.push_back(i);
    }
  }

  void prepare() {
    if (!of_.empty()) transaction_->prepare();
  }

  void commit(session::Reporter& reporter, Published& published) {
    if (of_.empty()) return;
    const std::vector<repo::RefOutcome>& outcomes = transaction_->commit();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].ok()) continue;
      published.ok = false;
      published.has_name_conflict = published.has_name_conflict || outcomes[i].verdict == repo::RefVerdict::conflict;
      reporter.complain(outcomes[i].message);
      RefDecision& decision = decisions_[of_[i]];
      decision.attempted = decision.kind;
      decision.kind = UpdateKind::rejected;
      decision.note = "unable to update local ref";
    }
  }

 private:
  std::vector<RefDecision>& decisions_;
  std::optional<repo::RefTransaction> transaction_;
  std::vector<std::size_t> of_;  // which decision each update is for
};

// Whether a ref that goes stands where one that comes needs room: "foo" and "foo/bar".
bool makes_room(const std::vector<RefDecision>& decisions) {
  std::set<std::string_view> deleted;
  for (const RefDecision& decision : decisions) {
    if (decision.kind == UpdateKind::deleted) deleted.insert(decision.local_name);
  }
  if (deleted.empty()) return false;
  return std::any_of(decisions.begin(), decisions.end(), [&](const RefDecision& decision) {
    if (decision.kind == UpdateKind::deleted || !decision.changes_ref()) return false;
    const std::string& name = decision.local_name;
    const auto below = deleted.lower_bound(name + "/");
    if (below != deleted.end() && below->starts_with(name + "/")) return true;
    for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
      if (deleted.contains(std::string_view(name).substr(0, slash))) return true;
    }
    return false;
  });
}

}  // namespace

Published publish_fetch(std::vector<RefDecision>& decisions, const shallow::ShallowEdit& edit, session::Holdings& here,
                        const PublishOptions& options, session::Reporter& reporter) {
  Published published;
  auto which = RefChange::Which::all;
  if (makes_room(decisions)) {  // then they have to be gone before, as all that git prunes
    RefChange pruned(decisions, RefChange::Which::deletions, here, options);
    pruned.prepare();
    pruned.commit(reporter, published);
    which = RefChange::Which::others;
  }
  RefChange refs(decisions, which, here, options);
  refs.prepare();
  BoundaryChange boundary(edit, here.repository(), options.shallow_wait_ms);
  boundary.publish();
  refs.commit(reporter, published);
  boundary.look_again();
  return published;
}

void write_fetch_head(const repo::Repository& repository, const std::string& lines, bool append) {
  const std::string path = repository.git_dir() + "/FETCH_HEAD";
  if (append) {
    const base::UniqueFd fd = base::open_file(path, O_WRONLY | O_CREAT | O_APPEND);
    base::write_all(fd.get(), base::as_bytes(lines), path);
    return;
  }
  base::LockFile lock = base::LockFile::take(path);
  lock.write(lines);
  lock.commit();
}

}  // namespace pfetch::command
