#include "command/checkout.h"

#include <fmt/format.h>

#include "base/error.h"
#include "command/checkout_files.h"
#include "command/checkout_switch.h"
#include "command/checkout_target.h"

namespace pfetch::command {

namespace {

using Track = CheckoutArguments::Track;

// --track alone names the branch after what it tracks: "topic" for "origin/topic".
std::string branch_to_track(const CheckoutArguments& arguments) {
  if (arguments.words.empty() || arguments.dashes == std::size_t{0}) {
    throw Error(ErrorCode::usage, "--track needs a branch name");
  }
  std::string_view name = arguments.words.front();
  for (const std::string_view prefix : {"refs/", "remotes/"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || slash + 1 == name.size()) {
    throw Error(ErrorCode::usage, "missing branch name; try -b");
  }
  return std::string(name.substr(slash + 1));
}

std::string wanted_branch(const CheckoutArguments& arguments) {
  if (arguments.new_branch && arguments.reset_branch) {
    throw Error(ErrorCode::usage, "options '-b', '-B', and '--orphan' cannot be used together");
  }
  if (arguments.new_branch) return *arguments.new_branch;
  if (arguments.reset_branch) return *arguments.reset_branch;
  return arguments.track == Track::unset ? "" : branch_to_track(arguments);
}

void require_usable(const CheckoutArguments& arguments) {
  if (arguments.pathspec_file_nul && !arguments.pathspec_file) {
    throw Error(ErrorCode::usage, "the option '--pathspec-file-nul' requires '--pathspec-from-file'");
  }
}

}  // namespace

CheckoutOutcome checkout(const CheckoutArguments& arguments, const CommandContext& context) {
  session::StageClock clock(context.progress);
  CheckoutOutcome outcome;

  clock.begin("look up");
  const CheckoutPlace place(context);
  const CheckoutContext& here = place.context();
  std::string branch = wanted_branch(arguments);
  require_usable(arguments);
  const bool may_guess = arguments.guess.value_or(here.config().get_bool("checkout.guess", true)) && branch.empty();
  CheckoutTarget target = find_target(arguments, may_guess, here);
  if (!target.guessed_branch.empty()) branch = target.guessed_branch;
  if (arguments.pathspec_file) target.paths = read_pathspec_file(arguments, target, here);

  clock.begin("update worktree");
  if (target.paths.empty()) {
    switch_branch(arguments, std::move(target), branch, here, outcome);
  } else {
    checkout_files(arguments, target, branch, here, outcome);
  }
  clock.end();
  outcome.seconds = clock.total_seconds();
  outcome.stages = clock.stages();
  return outcome;
}

}  // namespace pfetch::command
