#include "command/reset.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "command/checkout_head.h"
#include "command/checkout_report.h"
#include "command/checkout_target.h"
#include "object/oid.h"
#include "repo/paths.h"
#include "repo/ref_transaction.h"
#include "session/refs_setup.h"
#include "session/work_place.h"

namespace pfetch::command {

namespace {

constexpr std::string_view empty_tree_hex = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

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
  repo::RefTransaction transaction(context.stock.refs(),
                                   {.atomic = true, .ident = session::committer_line(context.config())});
  if (!before.unborn()) transaction.update({.name = "ORIG_HEAD", .new_id = before.id});
  transaction.update({.name = "HEAD",
                      .new_id = to,
                      .message = action.empty() ? "reset: moving to " + revision : action + ": updating HEAD"});
  transaction.prepare();
  transaction.commit();
}

bool bring_worktree(const HeadBefore& before, const object::Oid& to, const CheckoutContext& context,
                    session::SwitchOutcome& outcome) {
  session::SwitchOptions options;
  options.force = true;
  options.want_local_changes = false;
  options.origin = {before.branch, to.hex()};
  const CommandContext& command = context.command;
  const auto from = before.unborn() ? std::nullopt : std::optional(before.id);
  outcome = session::switch_worktree(
      {context.repository(), context.stock.objects(), command.reporter, command.progress, command.cancel}, from, to,
      options);
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
  const repo::Repository repository = repo::Repository::discover(context.environment);
  const std::string prefix = session::work_prefix(repository);
  const std::string start = repo::current_directory();
  session::enter_work_tree(repository);
  session::Stock stock(repository);
  session::Revisions revisions(stock, context.reporter, prefix);
  const CheckoutContext here{context, stock, revisions, start, prefix};
  const std::string revision = find_revision(arguments, here);
  const HeadBefore before = read_head(*stock.refs());
  const auto commit = find_commit(revision, before, !arguments.words.empty(), here);

  clock.begin("update worktree");
  if (!bring_worktree(before, commit.value_or(*object::Oid::from_hex(empty_tree_hex)), here, outcome.worktree)) {
    throw Error(ErrorCode::refused, fmt::format("Could not reset index file to revision '{}'.", revision));
  }

  // From here on worktree and index are those of the commit; the branch follows.
  if (commit) {
    move_branch(before, *commit, revision, here);
    if (!arguments.quiet) outcome.lines.push_back("HEAD is now at " + described(*commit, here));
    outcome.head = commit->hex();
  }
  clear_operations(repository);
  if (outcome.worktree.lost > 0) outcome.exit_code = 1;
  clock.end();
  outcome.branch = object::short_ref_name(before.branch);
  outcome.seconds = clock.total_seconds();
  outcome.stages = clock.stages();
  return outcome;
}

}  // namespace pfetch::command
