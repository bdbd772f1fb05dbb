#include <fmt/format.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "command/checkout.h"
#include "command/reset.h"

namespace pfetch::cli {

namespace {

using nlohmann::json;

json refusal_of(const session::SwitchRefusal& refusal) {
  return {{"unmerged", refusal.unmerged},
          {"staged_changes", refusal.staged_changes},
          {"local_changes", refusal.local_changes},
          {"untracked_overwritten", refusal.untracked_overwritten},
          {"untracked_removed", refusal.untracked_removed},
          {"directories", refusal.directories}};
}

json changes_of(const std::vector<session::LocalChange>& changes) {
  json list = json::array();
  for (const session::LocalChange& change : changes) {
    list.push_back({{"change", std::string(1, change.letter)}, {"path", change.path}});
  }
  return list;
}

void add_worktree(json& result, const session::SwitchOutcome& worktree) {
  result["refused"] = refusal_of(worktree.refusal);
  result["local_changes"] = changes_of(worktree.local_changes);
  result["collided"] = worktree.collided;
  result["files_lost"] = worktree.lost;
  result["files_written"] = worktree.files_written;
  result["files_removed"] = worktree.files_removed;
  result["bytes_written"] = worktree.bytes_written;
  result["workers"] = worktree.workers;
  result["workers_reason"] = worktree.workers_reason;
}

json result_of(const command::CheckoutOutcome& outcome) {
  json result = {{"branch", outcome.branch},
                 {"head", outcome.head},
                 {"created_branch", outcome.created_branch},
                 {"paths_updated", outcome.paths_updated},
                 {"seconds", outcome.seconds},
                 {"stages", stages_of(outcome.stages)}};
  result["upstream"] = nullptr;
  if (outcome.upstream) {
    result["upstream"] = {{"ref", outcome.upstream->upstream},
                          {"gone", outcome.upstream->gone},
                          {"ahead", outcome.upstream->ahead},
                          {"behind", outcome.upstream->behind}};
  }
  add_worktree(result, outcome.worktree);
  return result;
}

json result_of(const command::ResetOutcome& outcome) {
  json result = {{"branch", outcome.branch},
                 {"head", outcome.head},
                 {"seconds", outcome.seconds},
                 {"stages", stages_of(outcome.stages)}};
  add_worktree(result, outcome.worktree);
  return result;
}

void tell_workers(const session::SwitchOutcome& worktree, Terminal& terminal) {
  if (worktree.workers == 0) return;
  terminal.say(fmt::format("{} file{} written by up to {} worker{}: {}", worktree.files_written,
                           worktree.files_written == 1 ? "" : "s", worktree.workers, worktree.workers == 1 ? "" : "s",
                           worktree.workers_reason));
}

// Runs one of the two commands and prints what it has for standard output.
template <class Options, class Command>
int run_command(const Options& options, const RunContext& context, const Command& command) {
  if (!options.help.text.empty()) {
    print(options.help.text);
    return options.help.exit_code();
  }
  const TraceFile trace(options.output.trace);
  session::Progress progress;
  Terminal terminal({options.output.quiet, shows_progress(options.output), true}, progress);
  const auto outcome = command(options.arguments, {context.environment, context.cancel, terminal, progress});
  terminal.finish();
  if (options.output.verbose) tell_workers(outcome.worktree, terminal);
  if (options.output.json) {
    print(text_of(result_of(outcome)));
  } else {
    std::string text;
    for (const std::string& line : outcome.lines) text += line + "\n";
    if (!text.empty()) print(text);
  }
  return outcome.exit_code;
}

}  // namespace

int run_checkout(const std::vector<std::string>& arguments, const RunContext& context) {
  return run_command(parse_checkout(arguments), context, command::checkout);
}

int run_reset(const std::vector<std::string>& arguments, const RunContext& context) {
  return run_command(parse_reset(arguments), context, command::reset);
}

}  // namespace pfetch::cli
