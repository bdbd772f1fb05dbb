#include <algorithm>

#include "base/error.h"
#include "cli/common_options.h"
#include "command/fetch_words.h"

namespace pfetch::cli {

namespace {

using command::FetchArguments;

void add_source_options(OptionTable& table, FetchArguments& fetch) {
  table.add_flag("--all", "fetch from all remotes", fetch.all);
  table.add_flag("-m,--multiple", "the words are remotes and groups", fetch.multiple);
  table.add_value("--upload-pack", "<path>", "what to run on the other side as git-upload-pack", fetch.upload_pack);
  table.add_list("-o,--server-option", "<server-specific>", "pass this on to a server that speaks protocol v2",
                 fetch.server_options);
  add_ip_options(table, fetch.ip_version);
}

struct BoundaryTexts {
  std::optional<std::string> depth;
  std::optional<std::string> deepen;
};

void add_boundary_options(OptionTable& table, FetchArguments& fetch, BoundaryTexts& texts) {
  table.add_value("--depth", "<depth>", "bring no more than this many commits from each tip", texts.depth);
  table.add_value("--deepen", "<depth>", "bring this many commits more behind the present boundary", texts.deepen);
  table.add_flag("--unshallow", "bring all that lies behind the boundary", fetch.unshallow);
  table.add_value("--shallow-since", "<time>", "bring only commits after a date", fetch.since);
  table.add_list("--shallow-exclude", "<revision>", "bring no commit that this ref of the remote reaches",
                 fetch.exclude);
  table.add_flag("--update-shallow", "take refs that need new roots in .git/shallow", fetch.update_shallow);
  table.add_flag("--prune-shallow", "drop roots that nothing needs any more",
                 [&fetch](bool on) { fetch.prune_shallow = on; });
  table.whole_name_only();
}

void add_ref_options(OptionTable& table, FetchArguments& fetch) {
  table.add_flag("-t,--tags", "fetch all tags",
                 [&fetch](bool on) { fetch.tags = on ? FetchArguments::Tags::all : FetchArguments::Tags::none; });
  table.add_flag("-n", "fetch no tags", [&fetch](bool) { fetch.tags = FetchArguments::Tags::none; });
  table.add_flag("-p,--prune", "delete tracking refs that the remote has no longer",
                 [&fetch](bool on) { fetch.prune = on; });
  table.add_flag("-P,--prune-tags", "delete tags that the remote has no longer, with --prune",
                 [&fetch](bool on) { fetch.prune_tags = on; });
  table.add_flag("-f,--force", "move refs also where that is no fast-forward", fetch.force);
  table.add_flag("-u,--update-head-ok", "fetch into the branch that is checked out, too", fetch.update_head_ok);
  table.add_flag("--atomic", "update all refs or none", fetch.atomic);
  table.add_flag("--dry-run", "say what would happen", fetch.dry_run);
  table.add_flag("-a,--append", "append to FETCH_HEAD", fetch.append);
  table.add_flag("--write-fetch-head", "write FETCH_HEAD (the default)", fetch.write_fetch_head);
  table.add_list("--refmap", "<refspec>", "track by this refspec instead of the configured ones", fetch.refmap);
  table.add_flag("--set-upstream", "make what is fetched the upstream of the current branch", fetch.set_upstream);
  table.add_flag("--show-forced-updates", "look whether updates are fast-forwards (the default)",
                 [&fetch](bool on) { fetch.show_forced_updates = on; });
}

void add_talk_options(OptionTable& table, FetchArguments& fetch, std::optional<std::string>& jobs) {
  table.add_list("--negotiation-tip", "<revision>", "propose only what these reach as common", fetch.negotiation_tips);
  table.add_flag("--refetch", "fetch everything as if nothing were here", fetch.refetch);
  table.add_flag("-k,--keep", "keep the pack, however small", fetch.keep);
  table.add_value("-j,--jobs", "<n>", "number of workers (default: one for each core)", jobs);
  table.add_flag("--auto-maintenance,--auto-gc", "let git maintain the repository at the end (the default)",
                 [&fetch](bool on) { fetch.auto_maintenance = on; });
  table.add_flag("--write-commit-graph", "let git write the commit-graph at the end",
                 [&fetch](bool on) { fetch.write_commit_graph = on; });
}

void add_refused(OptionTable& table) {
  table.add_value("--filter", "<args>", "not supported yet", refusing("--filter", "partial clone is not built"));
  refuse_submodules(table);
  refuse_flag(table, "--negotiate-only", "negotiation alone is not built");
}

int deepen_number(const std::string& text) {
  const std::int64_t depth = option_number(text, "deepen");
  if (depth < 0) throw Error(ErrorCode::refused, "negative depth in --deepen is not supported");
  return static_cast<int>(std::min<std::int64_t>(depth, INT32_MAX));
}

}  // namespace

FetchOptions parse_fetch(const std::vector<std::string>& arguments) {
  FetchOptions options;
  FetchArguments& fetch = options.arguments;
  OptionTable table("pfetch fetch [<options>] [<repository> [<refspec>...]]");
  BoundaryTexts texts;
  std::optional<std::string> jobs;
  add_output_options(table, options.output);
  add_source_options(table, fetch);
  add_boundary_options(table, fetch, texts);
  add_ref_options(table, fetch);
  add_talk_options(table, fetch, jobs);
  table.add_flag("--stdin", "read more refspecs from standard input", options.from_stdin);
  table.add_optional_value(
      "--explain", "json", "say what became of the roots of a shallow remote, and why",
      [&options](const std::optional<std::string>& format) {
        if (format && !format->empty() && *format != "text" && *format != "json") {
          throw Error(ErrorCode::refused, "--explain knows the formats text and json");
        }
        using Explain = FetchOptions::Explain;
        options.explain = !format ? Explain::no : *format == "json" ? Explain::json : Explain::text;
      });
  table.whole_name_only();
  table.add_flag("--porcelain", "print what became of each ref for programs", fetch.porcelain);
  add_refused(table);
  const OptionTable::Result parsed = table.parse(arguments);
  if (parsed.help != OptionTable::Help::none) {
    options.help = help_of(table, parsed.help);
    return options;
  }
  if (!parsed.words.empty()) fetch.remote = parsed.words.front();
  if (parsed.words.size() > 1) fetch.refspecs.assign(parsed.words.begin() + 1, parsed.words.end());
  if (texts.depth) fetch.depth = positive_depth(*texts.depth);
  if (texts.deepen) fetch.deepen = deepen_number(*texts.deepen);
  if (jobs) fetch.jobs = jobs_number(*jobs);
  fetch.explain = options.explain != FetchOptions::Explain::no;
  fetch.quiet = options.output.quiet;
  fetch.verbose = options.output.verbose;
  fetch.words = command::reflog_words(arguments);
  return options;
}

}  // namespace pfetch::cli
