#include "command/clone_worktree.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/lock_file.h"
#include "repo/hooks.h"
#include "session/checkout_setup.h"
#include "session/file_troubles.h"

namespace pfetch::command {

CloneWorktree::CloneWorktree(const repo::Repository& repository, const object::Oid& head, unsigned workers,
                             session::Acquisition& acquisition, session::Reporter& reporter, base::Cancellation& cancel)
    : repository_(repository),
      reporter_(reporter),
      engine_(session::checkout_options(repository, *repository.work_tree(), workers, reporter), head,
              checkout::EngineContext{acquisition.objects(),
                                      [&acquisition](const object::Oid& id) { return acquisition.has_arrived(id); },
                                      cancel}) {}

void CloneWorktree::run_filters(const checkout::FilterOrigin& origin) {
  const auto place = session::filter_place(repository_, *repository_.work_tree());
  files_lost_ += session::report_filter_failures(engine_.run_filters(place, origin), reporter_);
}

void CloneWorktree::require_complete() const {
  if (complete()) return;
  reporter_.warn(
      "Clone succeeded, but checkout failed.\n"
      "You can inspect what was checked out with 'git status'\n"
      "and retry with 'git restore --source=HEAD :/'\n");
  throw Error(ErrorCode::remote, fmt::format("unable to checkout working tree: {} {} lost to a required filter",
                                             files_lost_, files_lost_ == 1 ? "file was" : "files were"));
}

std::vector<std::string> CloneWorktree::finish() {
  for (const std::string& error : engine_.encoding_errors()) reporter_.complain(error);
  std::vector<std::string> collided = engine_.finish();
  {
    base::LockFile lock = base::LockFile::take(repository_.index_path());
    engine_.write_index(lock);
    repository_.shared_mode().adjust_path(lock.lock_path());
    lock.commit();
  }
  session::warn_of_collisions(collided, reporter_);
  return collided;
}

int run_post_checkout(const repo::Repository& repository, const object::Oid& head, session::Reporter& reporter) {
  const std::string nothing(object::Oid::hex_size, '0');
  const repo::HookOutcome hook = repo::run_hook(repository, "post-checkout", {nothing, head.hex(), "1"});
  if (!hook.advice.empty()) reporter.say(hook.advice);
  return hook.status;
}

}  // namespace pfetch::command
