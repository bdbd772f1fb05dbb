#include "command/checkout_switch.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/fd.h"
#include "command/checkout_branch.h"
#include "command/checkout_head.h"
#include "repo/paths.h"
#include "repo/quoting.h"
#include "repo/reflog.h"
#include "repo/worktrees.h"

namespace pfetch::command {

namespace {

using Side = CheckoutArguments::Side;

void require_usable(const CheckoutArguments& arguments, const CheckoutTarget& target, bool creates) {
  const auto refuse = [](bool when, const char* option, const char* with) {
    if (when) throw Error(ErrorCode::usage, fmt::format("'{}' cannot be used with {}", option, with));
  };
  refuse(arguments.overlay.has_value(), "--[no]-overlay", "switching branches");
  refuse(arguments.side != Side::none, "--ours/--theirs", "switching branches");
  refuse(arguments.detach && creates, "--detach", "'-b/-B/--orphan'");
  if (!target.name.empty() && !target.commit) {
    throw Error(ErrorCode::usage, fmt::format("Cannot switch branch to a non-commit '{}'", target.name));
  }
}

// A branch is checked out in one worktree alone: two would move it under each other.
void require_not_elsewhere(const std::string& branch, const repo::Repository& repository) {
  const std::string own = repo::real_path_or_same(repository.git_dir());
  for (const repo::Worktree& worktree : repo::list_worktrees(repository)) {
    if (worktree.bare || worktree.head_branch != branch) continue;
    if (repo::real_path_or_same(worktree.git_dir) == own) continue;
    throw Error(ErrorCode::refused,
                fmt::format("'{}' is already checked out at '{}'", object::short_ref_name(branch), worktree.path));
  }
}

std::string reflog_words(const HeadBefore& before, const std::string& to, const CheckoutContext& context) {
  const std::string& action = context.repository().environment().reflog_action;
  return action.empty() ? fmt::format("checkout: moving from {} to {}", before.words(), to) : action;
}

// "checkout -b <name>" and nothing else: then git does not look at the worktree, and lists no local changes.
bool says_only_new_branch(const CheckoutArguments& arguments) {
  return arguments.new_branch && !arguments.force && !arguments.quiet && !arguments.create_reflog && !arguments.guess &&
         arguments.track == CheckoutArguments::Track::unset && arguments.overwrite_ignored &&
         !arguments.ignore_other_worktrees;
}

// What the switch is about to do, decided before anything is written.
struct Switch {
  HeadBefore before;
  object::Oid to;               // the commit
  std::string name;             // in reflogs: the branch, or what was named
  std::string branch;           // HEAD will be put on it; empty: on the commit
  bool stays = false;           // HEAD is left as it is
  bool keeps_worktree = false;  // nothing but HEAD changes, so nothing needs to be looked at
  std::optional<NewBranch> created;
  Tracking tracking;
};

Switch plan(const CheckoutArguments& arguments, const CheckoutTarget& target, std::optional<NewBranch> created,
            const CheckoutContext& context) {
  Switch planned;
  planned.before = read_head(*context.stock.refs());
  if (!target.commit && planned.before.unborn()) {
    throw Error(ErrorCode::not_found, "You are on a branch yet to be born");
  }
  planned.to = target.commit.value_or(planned.before.id);
  planned.name = target.name.empty() ? "HEAD" : target.name;
  planned.branch = arguments.detach ? "" : target.branch;
  planned.stays = planned.branch.empty() && planned.name == "HEAD" && !arguments.detach;
  if (created) {
    planned.created = std::move(created);
    planned.created->start = planned.name;
    planned.created->create_reflog = arguments.create_reflog;
    planned.tracking = plan_tracking(*planned.created, arguments.track, context);
    planned.name = planned.created->name;
    planned.branch = planned.created->ref;
    planned.stays = false;
    planned.keeps_worktree = target.name.empty() && says_only_new_branch(arguments);
  } else if (!planned.branch.empty() && planned.branch != planned.before.branch && !arguments.ignore_other_worktrees) {
    require_not_elsewhere(planned.branch, context.repository());
  }
  return planned;
}

// Returns false when something stands against it; then it was said.
bool bring_worktree(const CheckoutArguments& arguments, const Switch& planned, const CheckoutContext& context,
                    CheckoutOutcome& outcome) {
  if (planned.keeps_worktree) return true;
  session::SwitchOptions options;
  options.force = arguments.force;
  options.overwrite_ignored = arguments.overwrite_ignored;
  options.want_local_changes = !arguments.quiet && !arguments.force;
  options.origin = {planned.branch, planned.to.hex()};
  outcome.worktree = session::switch_worktree(context.for_switch(), planned.before.commit(), planned.to, options);
  if (!outcome.worktree.refusal.empty()) {
    outcome.lines = unmerged_lines(outcome.worktree.refusal);
    report_refusal(outcome.worktree.refusal, context);
    outcome.exit_code = 1;
    return false;
  }
  const bool quotes = context.config().get_bool("core.quotepath", true);
  for (const session::LocalChange& change : outcome.worktree.local_changes) {
    outcome.lines.push_back(fmt::format("{}\t{}", change.letter, repo::shown_path(change.path, quotes)));
  }
  return true;
}

void tell_switched(const Switch& planned, session::Reporter& reporter) {
  const bool stays_on = planned.branch == planned.before.branch;
  const char* what = "Switched to branch";
  if (planned.created) {
    what = stays_on                  ? "Reset branch"
           : planned.created->exists ? "Switched to and reset branch"
                                     : "Switched to a new branch";
  } else if (stays_on) {
    what = "Already on";
  }
  reporter.say(fmt::format("{} '{}'", what, planned.name));
}

void move_head(const CheckoutArguments& arguments, const Switch& planned, const CheckoutContext& context) {
  session::Reporter& reporter = context.reporter();
  if (planned.stays) return;
  const std::string message = reflog_words(planned.before, planned.name, context);
  if (planned.branch.empty()) {
    detach_head(planned.to, message, context.stock);
    if (!planned.before.detached && !arguments.detach) report_detaching(planned.name, context);
    reporter.say("HEAD is now at " + described(planned.to, context));
    return;
  }
  put_head_on_branch(planned.branch, message, context.stock);
  tell_switched(planned, reporter);
  // The log of a branch that was never born leads nowhere.
  if (!planned.before.branch.empty() && planned.before.unborn()) {
    repo::remove_reflog(context.stock.refs()->log_of(planned.before.branch),
                        context.stock.refs()->top_of(planned.before.branch) + "/logs/refs/heads");
  }
}

void tell_upstream(const std::string& branch, bool quiet, const CheckoutContext& context, CheckoutOutcome& outcome) {
  if (branch.empty()) return;
  if (quiet) return;
  outcome.upstream = upstream_state(branch, context);
  if (!outcome.upstream) return;
  for (std::string& line : upstream_lines(*outcome.upstream, context)) outcome.lines.push_back(std::move(line));
}

// -b on a branch that is yet to be born: HEAD changes its name.
void rename_unborn(const NewBranch& branch, const CheckoutContext& context, CheckoutOutcome& outcome) {
  put_head_on_branch(branch.ref, "", context.stock);
  context.reporter().say(fmt::format("Switched to a new branch '{}'", branch.name));
  outcome.branch = outcome.created_branch = branch.name;
}

}  // namespace

void switch_branch(const CheckoutArguments& arguments, CheckoutTarget target, const std::string& wanted_branch,
                   const CheckoutContext& context, CheckoutOutcome& outcome) {
  std::optional<NewBranch> created;
  if (!wanted_branch.empty()) created = plan_branch(wanted_branch, arguments.reset_branch.has_value(), context);
  require_usable(arguments, target, created.has_value());
  if (created && !created->exists && target.name.empty() && read_head(*context.stock.refs()).unborn()) {
    return rename_unborn(*created, context, outcome);
  }
  const Switch planned = plan(arguments, target, std::move(created), context);
  if (!bring_worktree(arguments, planned, context, outcome)) return;

  // From here on worktree and index are those of the target; refs and HEAD follow.
  const bool leaves_detached = planned.before.detached && !planned.before.unborn();
  if (leaves_detached && planned.before.id != planned.to && !arguments.quiet) {
    report_left_behind(planned.before.id, planned.to, context);
  }
  if (planned.created) {
    create_branch(*planned.created, planned.to, context);
    auto told = set_up_tracking(*planned.created, planned.tracking, context);
    if (told && !arguments.quiet) outcome.lines.push_back(std::move(*told));
    outcome.created_branch = planned.created->exists ? "" : planned.created->name;
  }
  move_head(arguments, planned, context);
  for (const std::string& operation : clear_operations(context.repository())) {
    if (!arguments.quiet) context.reporter().warn(fmt::format("cancelling a {} in progress", operation));
  }
  const HeadBefore now = read_head(*context.stock.refs());
  // As the configuration was: of what a new branch has just begun to track there is nothing to tell.
  const std::string& told_of = planned.created ? planned.branch : planned.stays ? now.branch : target.branch;
  tell_upstream(told_of, arguments.quiet, context, outcome);
  outcome.branch = object::short_ref_name(now.branch);
  outcome.head = now.id.hex();
  if (outcome.worktree.lost > 0) outcome.exit_code = 1;
  if (run_post_checkout(planned.before, planned.to, true, context) != 0) outcome.exit_code = 1;
}

}  // namespace pfetch::command
