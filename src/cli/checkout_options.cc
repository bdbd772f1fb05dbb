#include "cli/common_options.h"
#include "cli/options.h"

namespace pfetch::cli {

namespace {

using command::CheckoutArguments;
using Track = CheckoutArguments::Track;
using Side = CheckoutArguments::Side;

void add_branch_options(OptionTable& table, CheckoutArguments& checkout) {
  table.add_value("-b", "<branch>", "create this branch and switch to it", checkout.new_branch);
  table.add_value("-B", "<branch>", "the same, or move the branch there if it exists", checkout.reset_branch);
  table.add_flag("-l", "start a reflog for the new branch", checkout.create_reflog);
  table.add_flag("--guess", "a name that just one remote has as a branch becomes a branch here (the default)",
                 [&checkout](bool on) { checkout.guess = on; });
  table.add_optional_value("-t,--track", "direct|inherit", "what the new branch starts at becomes its upstream",
                           [&checkout](const std::optional<std::string>& how) {
                             if (how && !how->empty() && *how != "direct" && *how != "inherit") {
                               throw UsageError{"error: option `--track' expects \"direct\" or \"inherit\"\n"};
                             }
                             checkout.track = !how ? Track::none : *how == "inherit" ? Track::inherit : Track::direct;
                           });
}

void add_switch_options(OptionTable& table, CheckoutArguments& checkout) {
  table.add_flag("-d,--detach", "put HEAD on the commit itself", checkout.detach);
  table.add_flag("-f,--force", "throw away local changes; of paths, pass over those in conflict", checkout.force);
  table.add_flag("--overwrite-ignore", "files that are ignored may be overwritten (the default)",
                 checkout.overwrite_ignored);
  table.add_flag("--ignore-other-worktrees", "also switch to a branch that another worktree has checked out",
                 checkout.ignore_other_worktrees);
}

void add_path_options(OptionTable& table, CheckoutArguments& checkout) {
  const auto take = [&checkout](Side side) {
    return [&checkout, side](bool on) { checkout.side = on ? side : Side::none; };
  };
  table.add_flag("-2,--ours", "of paths in conflict, take our side", take(Side::ours));
  table.add_flag("-3,--theirs", "of paths in conflict, take their side", take(Side::theirs));
  table.add_flag("--overlay", "leave alone what the tree does not have (the default)",
                 [&checkout](bool on) { checkout.overlay = on; });
  table.add_value("--pathspec-from-file", "<file>", "read the paths from a file; '-' is standard input",
                  checkout.pathspec_file);
  table.add_flag("--pathspec-file-nul", "paths in that file end in NUL, not in a line end", checkout.pathspec_file_nul);
}

void add_refused(OptionTable& table) {
  table.add_value("--orphan", "<new-branch>", "not supported yet", refusing("--orphan", "use git checkout --orphan"));
  refuse_flag(table, "-m,--merge", "merging local changes is not built");
  refuse_flag(table, "-p,--patch", "choosing hunks is not built");
  table.add_value("--conflict", "<style>", "not supported yet",
                  refusing("--conflict", "merging local changes is not built"));
  refuse_flag(table, "--ignore-skip-worktree-bits", "sparse checkout is not built");
  refuse_submodules(table);
}

// What both commands do with the words, once their options are in the table.
template <class Options>
void parse_into(Options& options, const OptionTable& table, const std::vector<std::string>& arguments) {
  OptionTable::Result parsed = table.parse(arguments);
  if (parsed.help != OptionTable::Help::none) {
    options.help = help_of(table, parsed.help);
    return;
  }
  options.arguments.words = std::move(parsed.words);
  options.arguments.dashes = parsed.dashes;
  options.arguments.quiet = options.output.quiet;
}

}  // namespace

CheckoutOptions parse_checkout(const std::vector<std::string>& arguments) {
  CheckoutOptions options;
  CheckoutArguments& checkout = options.arguments;
  OptionTable table(
      "pfetch checkout [<options>] [<branch>|<commit>]\n"
      "   or: pfetch checkout [<options>] [<tree-ish>] [--] <pathspec>...");
  add_output_options(table, options.output);
  add_branch_options(table, checkout);
  add_switch_options(table, checkout);
  add_path_options(table, checkout);
  add_refused(table);
  parse_into(options, table, arguments);
  return options;
}

ResetOptions parse_reset(const std::vector<std::string>& arguments) {
  ResetOptions options;
  command::ResetArguments& reset = options.arguments;
  OptionTable table("pfetch reset --hard [-q] [<commit>]");
  add_output_options(table, options.output);
  table.add_flag("--hard", "throw away all local changes of tracked files", reset.hard);
  const std::string cure = "only --hard is built; use git reset";
  for (const char* name : {"--soft", "--mixed", "--merge", "--keep"}) refuse_flag(table, name, cure);
  refuse_flag(table, "-N,--intent-to-add", cure);
  refuse_flag(table, "-p,--patch", cure);
  table.add_value("--pathspec-from-file", "<file>", "not supported yet", refusing("--pathspec-from-file", cure));
  refuse_submodules(table);
  parse_into(options, table, arguments);
  return options;
}

}  // namespace pfetch::cli
