#include "command/reset.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "command/checkout_head.h"
#include "command/checkout_report.h"
#include "command/checkout_target.h"
#include "object/oid.h"
#include "session/refs_setup.h"

namespace pfetch::command {

namespace {

// The revision that the words name. Throws for paths.
std::string find_revision(const ResetArguments& arguments, const CheckoutContext& context) {
  const std::vector<std::string>& words = arguments.words;
  const auto refuse_paths = [](bool there) {
    if (there) throw Error(ErrorCode::usage, "Cannot do hard reset with paths.");
  };
  if (arguments.dashes == std::size_t{0}) refuse_paths(!words.empty());
  if (words.empty()) return "HEAD";
  if (arguments.dashes == std::size_t{1}) {
    refuse_paths(words.size() > 1);
    return words.front();
  }
  if (context.revisions.find(words.front(), session::RevisionHint::committish)) {
    require_no_file(words.front(), context.prefix);
    refuse_paths(words.size() > 1);
    return words.front();
  }
  if (words.front().starts_with('-')) {
    throw Error(ErrorCode::usage, fmt::format("option '{}' must come before non-option arguments", words.front()));
  }
  if (!names_file(words.front(), context.prefix)) throw_unknown_argument(words.front());
  refuse_paths(true);
  return "";
}

// nullopt: HEAD, where nothing was committed yet.
std::optional<object::Oid> find_commit(const std::string& revision, const HeadBefore& head, bool was_named,
                                       const CheckoutContext& context) {
  if (!was_named && head.unborn()) return std::nullopt;
  const auto id = context.revisions.find(revision, session::RevisionHint::committish);
  if (!id) {
    throw Error(ErrorCode::not_found, fmt::format("Failed to resolve '{}' as a valid revision.", revision));
  }
  const auto commit = context.revisions.commit_of(*id);
  if (!commit) throw Error(ErrorCode::usage, fmt::format("Could not parse object '{}'.", revision));
  return commit;
}

void move_branch(const HeadBefore& before, const object::Oid& to, const std::string& revision,
                 const CheckoutContext& context) {
  const std::string& action = context.repository().environment().reflog_action;
  std::vector<repo::RefUpdate> updates;
  if (!before.unborn()) updates.push_back({.name = "ORIG_HEAD", .new_id = before.id});
  updates.push_back({.name = "HEAD",
                     .new_id = to,
                     .message = action.empty() ? "reset: moving to " + revision : action + ": updating HEAD"});
  session::update_refs(context.stock.refs(), context.config(), std::move(updates));
}

bool bring_worktree(const HeadBefore& before, const object::Oid& to, const CheckoutContext& context,
                    session::SwitchOutcome& outcome) {
  session::SwitchOptions options;
  options.force = true;
  options.want_local_changes = false;
  options.origin = {before.branch, to.hex()};
  outcome = session::switch_worktree(context.for_switch(), before.commit(), to, options);
  report_refusal(outcome.refusal, context);
  return outcome.refusal.empty();
}

}  // namespace

ResetOutcome reset(const ResetArguments& arguments, const CommandContext& context) {
  session::StageClock clock(context.progress);
  ResetOutcome outcome;

  clock.begin("look up");
  if (!arguments.hard) {
    throw Error(ErrorCode::unsupported, "only 'pfetch reset --hard' is built; 'git reset' does all others");
  }
  const CheckoutPlace place(context);
  const CheckoutContext& here = place.context();
  const std::string revision = find_revision(arguments, here);
  const HeadBefore before = read_head(*here.stock.refs());
  const auto commit = find_commit(revision, before, !arguments.words.empty(), here);

  clock.begin("update worktree");
  if (!bring_worktree(before, commit.value_or(object::empty_tree_id()), here, outcome.worktree)) {
    throw Error(ErrorCode::refused, fmt::format("Could not reset index file to revision '{}'.", revision));
  }

  // From here on worktree and index are those of the commit; the branch follows.
  if (commit) {
    move_branch(before, *commit, revision, here);
    if (!arguments.quiet) outcome.lines.push_back("HEAD is now at " + described(*commit, here));
    outcome.head = commit->hex();
  }
  clear_operations(here.repository());
  if (outcome.worktree.lost > 0) outcome.exit_code = 1;
  clock.end();
  outcome.branch = object::short_ref_name(before.branch);
  outcome.seconds = clock.total_seconds();
  outcome.stages = clock.stages();
  return outcome;
}

}  // namespace pfetch::command
