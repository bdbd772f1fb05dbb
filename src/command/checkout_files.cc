#include "command/checkout_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "base/error.h"
#include "base/fd.h"
#include "command/checkout_branch.h"
#include "command/checkout_head.h"
#include "command/pathspec_file.h"
#include "repo/paths.h"
#include "session/abbreviation.h"
#include "session/work_place.h"

namespace pfetch::command {

namespace {

using Side = CheckoutArguments::Side;

void require_usable(const CheckoutArguments& arguments, const CheckoutTarget& target, const std::string& branch,
                    const CheckoutContext& context) {
  const auto refuse = [](bool when, const std::string& why) {
    if (when) throw Error(ErrorCode::usage, why);
  };
  const std::string& first = target.paths.front();
  refuse(!branch.empty() && !target.commit && target.paths.size() == 1 && !arguments.pathspec_file,
         fmt::format("'{}' is not a commit and a branch '{}' cannot be created from it", first, branch));
  refuse(arguments.detach, fmt::format("git checkout: --detach does not take a path argument '{}'", first));
  refuse(arguments.force && arguments.side != Side::none,
         "git checkout: --ours/--theirs, --force and --merge are incompatible when\nchecking out of the index.");
  if (!branch.empty()) plan_branch(branch, arguments.reset_branch.has_value(), context);
  refuse(arguments.track != CheckoutArguments::Track::unset, "'--track' cannot be used with updating paths");
  refuse(arguments.create_reflog, "'-l' cannot be used with updating paths");
  refuse(!branch.empty(), fmt::format("Cannot update paths and switch to branch '{}' at the same time.", branch));
}

session::ConflictSide conflict_side(const CheckoutArguments& arguments) {
  if (arguments.side == Side::ours) return session::ConflictSide::ours;
  if (arguments.side == Side::theirs) return session::ConflictSide::theirs;
  return arguments.force ? session::ConflictSide::skip : session::ConflictSide::refuse;
}

bool was_refused(const session::PathsOutcome& done) {
  return !done.unmatched.empty() || !done.unmerged.empty() || !done.without_side.empty();
}

void report(const session::PathsOutcome& done, const CheckoutArguments& arguments, const CheckoutTarget& target,
            const CheckoutContext& context, CheckoutOutcome& outcome) {
  for (const std::string& spec : done.unmatched) {
    context.reporter().complain(fmt::format("pathspec '{}' did not match any file(s) known to git", spec));
  }
  const char* const whose = arguments.side == Side::ours ? "our" : "their";
  for (const std::string& path : done.without_side) {
    context.reporter().complain(fmt::format("path '{}' does not have {} version", path, whose));
  }
  const bool refused = was_refused(done);
  if (done.unmatched.empty()) {
    for (const std::string& path : done.unmerged)
      context.reporter().complain(fmt::format("path '{}' is unmerged", path));
  }
  if (refused || done.lost > 0) outcome.exit_code = 1;
  if (refused || !target.counts_paths) return;
  const std::string from = target.tree ? session::abbreviated(*target.tree, context.config(), context.stock.objects())
                                       : std::string("the index");
  context.reporter().say(fmt::format("Updated {} path{} from {}", done.updated, done.updated == 1 ? "" : "s", from));
}

}  // namespace

std::vector<std::string> read_pathspec_file(const CheckoutArguments& arguments, const CheckoutTarget& target,
                                            const CheckoutContext& context) {
  if (!target.paths.empty()) {
    throw Error(ErrorCode::usage, "'--pathspec-from-file' and pathspec arguments cannot be used together");
  }
  if (arguments.detach) {
    throw Error(ErrorCode::usage, "options '--pathspec-from-file' and '--detach' cannot be used together");
  }
  const std::string& path = *arguments.pathspec_file;
  if (path == "-")
    return split_pathspec_file(base::read_whole(STDIN_FILENO, "standard input"), arguments.pathspec_file_nul);
  const int fd = ::open(repo::path_below(context.start, path).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    throw Error(ErrorCode::not_found,
                fmt::format("could not open '{}' for reading: {}", path, std::generic_category().message(errno)));
  }
  const base::UniqueFd file(fd);
  return split_pathspec_file(base::read_whole(fd, path), arguments.pathspec_file_nul);
}

void checkout_files(const CheckoutArguments& arguments, const CheckoutTarget& target, const std::string& wanted_branch,
                    const CheckoutContext& context, CheckoutOutcome& outcome) {
  require_usable(arguments, target, wanted_branch, context);
  const object::Pathspec pathspec(target.paths, session::pathspec_rules(context.repository(), context.prefix));
  const HeadBefore head = read_head(*context.stock.refs());
  session::PathsOptions options;
  options.tree = target.tree;
  options.conflicts = conflict_side(arguments);
  options.overlay = arguments.overlay.value_or(true);
  options.origin = {.ref = head.branch,
                    .treeish = (target.commit ? *target.commit : target.tree.value_or(head.id)).hex()};
  const session::PathsOutcome done = session::checkout_paths(context.for_switch(), pathspec, options);
  report(done, arguments, target, context, outcome);
  outcome.paths_updated = done.updated;
  outcome.branch = object::short_ref_name(head.branch);
  outcome.head = head.unborn() ? "" : head.id.hex();
  if (was_refused(done)) return;
  const int status = run_post_checkout(head, head.id, false, context);
  if (status != 0) outcome.exit_code = status;
}

}  // namespace pfetch::command
