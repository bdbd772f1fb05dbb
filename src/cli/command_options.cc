#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "cli/common_options.h"
#include "cli/options.h"

namespace pfetch::cli {

namespace {

void add_refused(OptionTable& table) {
  table.add_value("--filter", "<args>", "not supported yet", refusing("--filter", "partial clone is not built"));
  refuse_flag(table, "--also-filter-submodules", "partial clone is not built");
  table.add_optional_value("--recurse-submodules,--recursive", "<pathspec>", "not supported yet",
                           refusing("--recurse-submodules", "submodules are not built"));
  refuse_flag(table, "--sparse", "sparse checkout is not built");
  table.add_value("--bundle-uri", "<uri>", "not supported yet", refusing("--bundle-uri", "bundles are not built"));
  refuse_flag(table, "-s,--shared", "use --reference");
}

void add_boundary_options(OptionTable& table, command::CloneRequest& request, std::optional<std::string>& depth) {
  table.add_value("--depth", "<depth>", "bring no more than this many commits from each tip", depth);
  table.add_value("--shallow-since", "<time>", "bring only commits after a date", request.since);
  table.add_list("--shallow-exclude", "<revision>", "bring no commit that this ref of the remote reaches",
                 request.exclude);
  table.add_flag("--reject-shallow", "fail if the source is shallow",
                 [&request](bool on) { request.reject_shallow = on; });
}

void add_ref_options(OptionTable& table, command::CloneRequest& request) {
  table.add_value("-b,--branch", "<branch>", "check out this branch or tag, not the remote's HEAD", request.branch);
  table.add_value("--revision", "<rev>", "bring exactly this ref or commit, with HEAD detached", request.revision);
  table.whole_name_only();
  table.add_flag("--single-branch", "only the history of the branch that is checked out",
                 [&request](bool on) { request.single_branch = on; });
  table.add_flag("--no-tags", "bring no tags, now or with later fetches", [&request](bool on) { request.tags = !on; });
}

void add_repository_options(OptionTable& table, command::CloneRequest& request) {
  table.add_flag("--bare,--naked", "a repository without a worktree", request.bare);
  table.add_flag("--mirror", "a mirror: bare, with all refs as they are", request.mirror);
  table.add_flag("-n,--no-checkout", "write no files", request.no_checkout);
  table.add_value("-o,--origin", "<name>", "what the remote is called, not 'origin'",
                  [&request](const std::optional<std::string>& name) {
                    if (name && name->empty()) throw Error(ErrorCode::refused, "'' is not a valid remote name");
                    request.origin = name.value_or("");
                  });
  table.add_list("-c,--config", "<key=value>", "set a variable in the new repository", request.config);
  table.add_value("--template", "<template-directory>", "where the new repository's first files come from",
                  request.template_directory);
  table.add_value("--separate-git-dir", "<gitdir>", "put the repository there, apart from the worktree",
                  request.separate_git_dir);
}

void add_source_options(OptionTable& table, command::CloneRequest& request) {
  table.add_list("--reference", "<repo>", "borrow the objects of this local repository", request.references);
  table.add_list("--reference-if-able", "<repo>", "the same, if it is there", request.references_if_able);
  table.add_flag("--dissociate", "borrow only while cloning", request.dissociate);
  table.add_value("-u,--upload-pack", "<path>", "what to run on the other side as git-upload-pack",
                  request.upload_pack);
  table.add_list("--server-option", "<server-specific>", "pass this on to a server that speaks protocol v2",
                 request.server_options);
  add_ip_options(table, request.ip_version);
  table.add_flag("-l,--local", "accepted: objects come by the pipeline either way",
                 [&request](bool on) { request.local = on; });
  table.add_flag("--no-hardlinks", "accepted: nothing is ever linked", [](bool) {});
  table.add_flag("--shallow-submodules", "accepted: without --recurse-submodules it does nothing", [](bool) {});
  table.add_flag("--remote-submodules", "accepted: without --recurse-submodules it does nothing", [](bool) {});
}

// "2" or "2,<offset>": offsets from there on are written as large ones.
std::uint32_t small_offset_max(const std::string& version) {
  const std::string bad = "bad --index-version=" + version;
  if (version == "1") throw Error(ErrorCode::unsupported, "an index of version 1 is not supported");
  if (version == "2") return command::IndexPackRequest().small_offset_max;
  if (!version.starts_with("2,")) throw Error(ErrorCode::refused, bad);
  const bool is_hex = version.starts_with("2,0x");
  std::uint32_t offset = 0;
  const char* end = version.data() + version.size();
  const auto [stop, problem] = std::from_chars(version.data() + (is_hex ? 4 : 2), end, offset, is_hex ? 16 : 10);
  if (problem != std::errc() || stop != end || (offset & 0x80000000) != 0) throw Error(ErrorCode::refused, bad);
  return offset;
}

std::uint64_t bytes_number(const std::string& text, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, option_number(text, name)));
}

}  // namespace

CloneOptions parse_clone(const std::vector<std::string>& arguments) {
  CloneOptions options;
  command::CloneRequest& request = options.request;
  OptionTable table("pfetch clone [<options>] [--] <repo> [<dir>]");
  std::optional<std::string> depth;
  std::optional<std::string> jobs;
  add_output_options(table, options.output);
  add_boundary_options(table, request, depth);
  add_ref_options(table, request);
  add_repository_options(table, request);
  add_source_options(table, request);
  table.add_value("-j,--jobs", "<n>", "number of workers (default: one for each core)", jobs);
  add_refused(table);
  OptionTable::Result parsed = table.parse(arguments);
  if (parsed.help != OptionTable::Help::none) {
    options.help = help_of(table, parsed.help);
    return options;
  }
  if (parsed.words.size() > 2) throw table.usage_error("Too many arguments.", "fatal");
  if (parsed.words.empty()) throw table.usage_error("You must specify a repository to clone.", "fatal");
  request.url = parsed.words[0];
  if (parsed.words.size() == 2) request.directory = parsed.words[1];
  if (depth) request.depth = positive_depth(*depth);
  if (jobs) request.jobs = jobs_number(*jobs);
  if (request.mirror) request.bare = true;
  return options;
}

IndexPackOptions parse_index_pack(const std::vector<std::string>& arguments) {
  IndexPackOptions options;
  command::IndexPackRequest& request = options.request;
  OptionTable table("pfetch index-pack [<options>] (--stdin [<pack-file>] | <pack-file>)");
  std::optional<std::string> threads;
  std::optional<std::string> max_input;
  std::optional<std::string> version;
  const auto severities = [&request](bool& on) {
    return [&request, &on](const std::optional<std::string>& value) {
      on = value.has_value();
      if (value) request.fsck_severities += *value + ",";
    };
  };
  add_output_options(table, options.output);
  table.add_flag("--stdin", "read the pack from standard input", request.from_stdin);
  table.add_value("-o", "<index-file>", "where the index goes", request.output);
  table.add_optional_value("--keep", "<message>", "write a .keep file, with a message in it",
                           [&request](std::optional<std::string> text) { request.keep_message = std::move(text); });
  table.add_optional_value("--strict", "<id>=<severity>,...", "refuse duplicate and broken objects",
                           severities(request.strict));
  table.add_optional_value("--fsck-objects", "<id>=<severity>,...", "refuse broken objects",
                           severities(request.check_objects));
  table.add_flag("--fix-thin", "complete a thin pack (with --stdin)", request.fix_thin);
  table.add_flag("--rev-index", "write a .rev file (the default)", request.write_rev);
  table.add_value("--threads", "<n>", "number of workers (default: one for each core)", threads);
  table.add_value("--max-input-size", "<bytes>", "refuse a larger pack", max_input);
  table.add_value("--index-version", "2[,<offset>]", "the version of the index", version);
  refuse_flag(table, "--verify", "use git index-pack --verify");
  const OptionTable::Result parsed = table.parse(arguments);
  if (parsed.help != OptionTable::Help::none) {
    options.help = help_of(table, parsed.help);
    return options;
  }
  if (parsed.words.size() > 1) throw table.usage_error("Too many arguments.", "fatal");
  if (!parsed.words.empty()) request.pack_file = parsed.words[0];
  if (request.pack_file.empty() && !request.from_stdin) throw table.usage_error("name a pack file, or use --stdin");
  if (threads) {
    const std::int64_t count = option_number(*threads, "threads");
    if (count < 0) throw table.usage_error("bad number of threads '" + *threads + "'");
    request.threads = static_cast<unsigned>(std::min(count, workers_max));
  }
  if (max_input) request.max_input_bytes = bytes_number(*max_input, "max-input-size");
  if (version) request.small_offset_max = small_offset_max(*version);
  return options;
}

}  // namespace pfetch::cli
