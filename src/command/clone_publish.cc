// The second half of a clone: what was received becomes visible, and the worktree is finished.

#include <fmt/format.h>

#include <future>

#include "base/error.h"
#include "base/fd.h"
#include "base/lock_file.h"
#include "base/trace.h"
#include "command/clone_session.h"
#include "object/commit_view.h"
#include "object/tag_view.h"
#include "pack/installer.h"
#include "repo/hooks.h"
#include "repo/ref_transaction.h"
#include "session/checkout_setup.h"
#include "session/durability.h"
#include "session/refs_setup.h"
#include "shallow/shallow_file.h"

namespace pfetch::command {

namespace {

constexpr int tag_depth_max = 64;  // tags of tags that are followed

}  // namespace

void CloneSession::install() {
  clock_.begin("install pack");
  if (ingest_->counters().objects_claimed.load() == 0) return;
  const repo::Repository& repository = fresh_->repository();
  pack::InstallOptions options;
  options.pack_directory = repository.objects_dir() + "/pack";
  options.write_rev = repository.config().get_bool("pack.writereverseindex", true);
  options.durable = session::durability(repository.config()).packs;
  // The files that had to wait for something are written while the pack is being made durable.
  std::future<void> files;
  if (engine_)
    files = std::async(std::launch::async, [this] {
      base::name_trace_lane("replay");
      engine_->finish_files();
    });
  const pack::InstalledPack installed = pack::install_pack(*ingest_, options);
  for (const char* suffix : {".pack", ".idx", ".rev"}) {
    const std::string path = installed.base_path + suffix;
    if (base::path_exists(path)) repository.shared_mode().adjust_path(path);
  }
  if (engine_) files.get();
}

std::optional<object::Oid> CloneSession::peeled(const object::Oid& id) {
  object::Oid at = id;
  for (int depth = 0; depth < tag_depth_max; ++depth) {
    const auto info = objects_->info(at);
    if (!info) return std::nullopt;
    if (info->kind != object::Kind::tag) return at == id ? std::nullopt : std::optional(at);
    const auto tag = objects_->read(at);
    if (!tag) return std::nullopt;
    at = object::TagView(at, tag->bytes.view()).target_id();
  }
  throw Error(ErrorCode::refused, fmt::format("tag {} leads through more than {} others", id.hex(), tag_depth_max));
}

object::Oid CloneSession::commit_of(const object::Oid& id) {
  const object::Oid target = peeled(id).value_or(id);
  const auto info = objects_->info(target);
  if (!info || info->kind != object::Kind::commit) {
    throw Error(ErrorCode::corrupt, fmt::format("object {} is not a commit: HEAD cannot be put there", target.hex()));
  }
  return target;
}

std::vector<object::Oid> CloneSession::boundary_met() const {
  std::vector<object::Oid> roots = response_.shallow;
  roots.insert(roots.end(), server_->server_shallow().begin(), server_->server_shallow().end());
  // A shallow source tells its whole boundary; only what the pack brought is ours.
  std::erase_if(roots, [this](const object::Oid& id) { return !ingest_->pack().kind_of(id); });
  return roots;
}

void CloneSession::publish_refs() {
  clock_.begin("publish refs");
  const repo::Repository& repository = fresh_->repository();
  if (!ingest_) {
    set_head();
    return;
  }
  repo::RefsOptions options = session::refs_options(repository);
  options.peel = [this](const object::Oid& id) { return peeled(id); };
  const auto refs = repo::Refs::open(options);
  repo::RefTransaction initial(
      refs, {.atomic = true, .initial = true, .ident = session::committer_line(repository.config())});
  for (const MappedRef& ref : refs_.mapped) initial.create(ref.local_name, ref.id, "");
  for (const MappedRef& ref : refs_.followed) {
    if (objects_->info(ref.id)) initial.create(ref.local_name, ref.id, "");
  }
  initial.prepare();
  write_boundary();
  initial.commit();
  set_head();
}

void CloneSession::write_boundary() {
  const std::vector<object::Oid> roots = boundary_met();
  if (roots.empty()) return;
  const repo::Repository& repository = fresh_->repository();
  shallow::ShallowLock lock =
      shallow::ShallowLock::take(repository.common_dir() + "/shallow", 0, repository.shared_mode());
  lock.commit_merged({.add = roots, .remove = {}});
}

void CloneSession::set_head() {
  const repo::Repository& repository = fresh_->repository();
  const auto refs = repo::Refs::open(session::refs_options(repository));
  const std::string message = "clone: from " + transport::without_user_info(source_url_);
  const repo::RefTransactionOptions options{.atomic = true, .ident = session::committer_line(repository.config())};
  const auto apply = [&](repo::RefUpdate update) {
    repo::RefTransaction transaction(refs, options);
    transaction.update(std::move(update));
    transaction.prepare();
    transaction.commit();
  };
  if (!refs_.origin_head.empty()) {
    apply({.name = "refs/remotes/" + request_.origin + "/HEAD", .new_target = refs_.origin_head, .message = message});
  }
  if (!refs_.head_branch.empty()) {
    apply({.name = "HEAD", .new_target = refs_.head_branch});
    if (refs_.head_id && !request_.bare) apply({.name = "HEAD", .new_id = refs_.head_id, .message = message});
  } else if (refs_.head_id) {
    apply({.name = "HEAD", .new_id = commit_of(*refs_.head_id), .message = message, .no_deref = true});
  }
  report_head();
}

void CloneSession::report_head() {
  session::Reporter& reporter = context_.reporter;
  if (refs_.empty_remote) {
    reporter.warn("You appear to have cloned an empty repository.");
  } else if (refs_.head_is_nowhere && !request_.bare) {
    reporter.warn("remote HEAD refers to nonexistent ref, unable to checkout");
  } else if (checks_out() && refs_.head_branch.empty() &&
             fresh_->repository().config().get_bool("advice.detachedhead", true)) {
    reporter.say(fmt::format(
        "Note: switching to '{}': HEAD is detached. To keep commits that you make here, give them a branch: "
        "git switch -c <new-branch-name>",
        commit_of(*refs_.head_id).hex()));
  }
}

void CloneSession::finish_worktree() {
  if (request_.dissociate) dissociate();
  if (!engine_) return;
  clock_.begin("finish worktree");
  const repo::Repository& repository = fresh_->repository();
  // With an empty pack nothing has been replayed yet.
  engine_->finish_files();
  run_filters();
  outcome_.collided = engine_->finish();
  {
    base::LockFile lock = base::LockFile::take(repository.index_path());
    engine_->write_index(lock);
    repository.shared_mode().adjust_path(lock.lock_path());
    lock.commit();
  }
  if (!outcome_.collided.empty()) {
    std::string text =
        "the following paths have collided (e.g. case-sensitive paths\non a case-insensitive filesystem) and only one "
        "from the same\ncolliding group is in the working tree:\n";
    for (const std::string& path : outcome_.collided) text += "\n  '" + path + "'";
    context_.reporter.warn(text);
  }
  if (files_lost_ == 0) run_post_checkout();
}

void CloneSession::run_filters() {
  for (const std::string& error : engine_->encoding_errors()) context_.reporter.complain(error);
  if (!engine_->has_filtered()) return;
  clock_.begin("filter content");
  const repo::Repository& repository = fresh_->repository();
  const auto failures = engine_->run_filters(session::filter_place(repository, *repository.work_tree()),
                                             {refs_.head_branch, commit_of(*refs_.head_id).hex()});
  report_filters(failures);
  clock_.begin("finish worktree");
}

void CloneSession::report_filters(const std::vector<checkout::FilterFailure>& failures) {
  for (const checkout::FilterFailure& failure : failures) {
    if (failure.required) {
      ++files_lost_;
      context_.reporter.complain(
          fmt::format("{}: smudge filter {} failed: {}", failure.path, failure.filter, failure.reason));
    } else {
      context_.reporter.complain(fmt::format("'{}' was not filtered: {}", failure.path, failure.reason));
    }
  }
}

void CloneSession::require_filtered() {
  if (files_lost_ == 0) return;
  context_.reporter.warn(
      "Clone succeeded, but checkout failed.\n"
      "You can inspect what was checked out with 'git status'\n"
      "and retry with 'git restore --source=HEAD :/'\n");
  throw Error(ErrorCode::remote, fmt::format("unable to checkout working tree: {} {} lost to a required filter",
                                             files_lost_, files_lost_ == 1 ? "file was" : "files were"));
}

void CloneSession::run_post_checkout() {
  const repo::Repository& repository = fresh_->repository();
  const std::string head = commit_of(*refs_.head_id).hex();
  const repo::HookOutcome hook =
      repo::run_hook(repository, "post-checkout", {std::string(object::Oid::hex_size, '0'), head, "1"});
  if (!hook.advice.empty()) context_.reporter.say(hook.advice);
  outcome_.exit_code = hook.status;
}

void CloneSession::keep() {
  fresh_->keep();
  clock_.end();
}

CloneOutcome CloneSession::outcome() {
  outcome_.directory = directory_;
  if (!refs_.head_branch.empty()) outcome_.branch = refs_.head_branch.substr(std::string_view("refs/heads/").size());
  if (refs_.head_id && objects_) outcome_.head = commit_of(*refs_.head_id).hex();
  if (ingest_) {
    const pack::IngestCounters& counters = ingest_->counters();
    outcome_.bytes_received = counters.bytes_received.load();
    outcome_.objects = counters.objects_resolved.load();
    outcome_.deltas = counters.deltas.load();
    outcome_.inflated_once = counters.inflated_once.load();
    outcome_.inflated_again = counters.inflated_again.load();
  }
  if (engine_) {
    const checkout::CheckoutCounters& counters = engine_->counters();
    outcome_.files = counters.files_written.load();
    outcome_.bytes_written = counters.bytes_written.load();
    outcome_.blobs_written_receiving = counters.written_receiving.load();
    outcome_.blobs_replayed = counters.replayed.load();
  }
  outcome_.bytes_sent = server_->bytes_sent();
  outcome_.seconds = clock_.total_seconds();
  outcome_.stages = clock_.stages();
  return outcome_;
}

}  // namespace pfetch::command
