#include <iostream>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "command/fetch.h"
#include "command/fetch_table.h"

namespace pfetch::cli {

namespace {

using nlohmann::json;

const char* name_of(command::UpdateKind kind) {
  switch (kind) {
    case command::UpdateKind::up_to_date:
      return "up-to-date";
    case command::UpdateKind::created:
      return "created";
    case command::UpdateKind::fast_forward:
      return "fast-forward";
    case command::UpdateKind::forced:
      return "forced";
    case command::UpdateKind::tag_moved:
      return "tag-moved";
    case command::UpdateKind::deleted:
      return "deleted";
    case command::UpdateKind::fetched:
      return "fetched";
    case command::UpdateKind::rejected:
      return "rejected";
  }
  return "";
}

json refs_of(const std::vector<command::RefDecision>& decisions) {
  json refs = json::array();
  for (const command::RefDecision& decision : decisions) {
    refs.push_back({{"outcome", decision.attempted ? "failed" : name_of(decision.kind)},
                    {"remote", decision.remote_name},
                    {"local", decision.local_name},
                    {"old", decision.old_id.hex()},
                    {"new", decision.new_id.hex()},
                    {"note", std::string(decision.note)}});
  }
  return refs;
}

json ids_of(const std::vector<object::Oid>& ids) {
  json list = json::array();
  for (const object::Oid& id : ids) list.push_back(id.hex());
  return list;
}

json explained(const shallow::Explanation& explanation) {
  json roots = json::array();
  for (const shallow::RootStory& root : explanation.roots) {
    roots.push_back({{"id", root.id.hex()},
                     {"side", root.side == shallow::Side::ours ? "ours" : "theirs"},
                     {"dropped_in_step", root.dropped_in_step},
                     {"added", root.added},
                     {"refs_needing", root.refs_needing},
                     {"outcome", shallow::root_outcome(root)}});
  }
  json refs = json::array();
  for (const shallow::RefStory& ref : explanation.refs) {
    refs.push_back({{"name", ref.name},
                    {"accepted", ref.verdict == shallow::Verdict::accepted},
                    {"roots", ids_of(ref.roots)},
                    {"root_count", ref.root_count},
                    {"deepen_by", ref.deepen_by ? json(*ref.deepen_by) : json(nullptr)},
                    {"cure", shallow::cure(ref)}});
  }
  return {{"decided_in_step", explanation.decided_in_step},
          {"commits_walked", explanation.commits_walked},
          {"roots", roots},
          {"refs", refs}};
}

void print_explanations(const command::FetchOutcome& outcome, bool as_json) {
  json all = json::array();
  for (const command::FetchOutcome::Remote& remote : outcome.remotes) {
    if (as_json) {
      json one = remote.explanation ? explained(*remote.explanation) : json::object();
      one["remote"] = remote.name;
      all.push_back(std::move(one));
    } else if (!remote.explanation) {
      print(remote.name + ": its boundary was not in question\n");
    } else {
      for (const std::string& line : shallow::explanation_lines(*remote.explanation)) print(line + "\n");
    }
  }
  if (as_json) print(text_of(all));
}

json result_of(const command::FetchOutcome& outcome) {
  json remotes = json::array();
  for (const command::FetchOutcome::Remote& remote : outcome.remotes) {
    remotes.push_back({{"name", remote.name}, {"url", remote.url}, {"refs", refs_of(remote.refs)}});
  }
  return {{"remotes", remotes},
          {"bytes_received", outcome.bytes_received},
          {"bytes_sent", outcome.bytes_sent},
          {"objects", outcome.objects},
          {"roots_added", ids_of(outcome.roots_added)},
          {"roots_removed", ids_of(outcome.roots_removed)},
          {"seconds", outcome.seconds},
          {"stages", stages_of(outcome.stages)}};
}

void read_refspecs(command::FetchArguments& arguments) {
  for (std::string line; std::getline(std::cin, line);) {
    arguments.refspecs.push_back(std::move(line));
  }
}

}  // namespace

int run_fetch(const std::vector<std::string>& words, const RunContext& context) {
  FetchOptions options = parse_fetch(words);
  if (!options.help.text.empty()) {
    print(options.help.text);
    return options.help.exit_code();
  }
  if (options.from_stdin) read_refspecs(options.arguments);
  const TraceFile trace(options.output.trace);
  session::Progress progress;
  options.arguments.progress = shows_progress(options.output);
  Terminal terminal({options.output.quiet, options.arguments.progress}, progress);
  const command::FetchOutcome outcome =
      command::fetch(options.arguments, {context.environment, context.cancel, terminal, progress});
  terminal.finish();
  if (options.arguments.porcelain) {
    for (const command::FetchOutcome::Remote& remote : outcome.remotes) {
      for (const std::string& line : command::porcelain_lines(remote.refs, options.output.verbose)) print(line + "\n");
    }
  }
  if (options.arguments.explain) print_explanations(outcome, options.explain == FetchOptions::Explain::json);
  if (options.output.json) print(text_of(result_of(outcome)));
  return outcome.exit_code;
}

}  // namespace pfetch::cli
