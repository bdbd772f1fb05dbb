#include "cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "command/clone.h"

namespace pfetch::cli {

namespace {

using nlohmann::json;

json result_of(const command::CloneOutcome& outcome) {
  return {{"directory", outcome.directory},
          {"branch", outcome.branch},
          {"head", outcome.head},
          {"files", outcome.files},
          {"bytes_written", outcome.bytes_written},
          {"bytes_received", outcome.bytes_received},
          {"bytes_sent", outcome.bytes_sent},
          {"objects", outcome.objects},
          {"deltas", outcome.deltas},
          {"inflated_once", outcome.inflated_once},
          {"inflated_again", outcome.inflated_again},
          {"blobs_written_receiving", outcome.blobs_written_receiving},
          {"blobs_replayed", outcome.blobs_replayed},
          {"collided", outcome.collided},
          {"seconds", outcome.seconds},
          {"stages", stages_of(outcome.stages)}};
}

}  // namespace

int run_clone(const std::vector<std::string>& arguments, const RunContext& context) {
  CloneOptions options = parse_clone(arguments);
  if (!options.help.text.empty()) {
    print(options.help.text);
    return options.help.exit_code();
  }
  const TraceFile trace(options.output.trace);
  session::Progress progress;
  options.request.progress = shows_progress(options.output);
  Terminal terminal({options.output.quiet, options.request.progress}, progress);
  const command::CloneOutcome outcome =
      command::clone(options.request, {context.environment, context.cancel, terminal, progress});
  terminal.finish();
  if (options.output.json) print(text_of(result_of(outcome)));
  return outcome.exit_code;
}

int run_index_pack(const std::vector<std::string>& arguments, const RunContext& context) {
  const IndexPackOptions options = parse_index_pack(arguments);
  if (!options.help.text.empty()) {
    print(options.help.text);
    return options.help.exit_code();
  }
  const TraceFile trace(options.output.trace);
  session::Progress progress;
  Terminal terminal({options.output.quiet, options.output.progress.value_or(false)}, progress);
  const command::IndexPackOutcome outcome =
      command::index_pack(options.request, STDIN_FILENO, {context.environment, context.cancel, terminal, progress});
  terminal.finish();
  if (options.output.json) {
    print(text_of({{"checksum", outcome.checksum},
                   {"objects", outcome.objects},
                   {"deltas", outcome.deltas},
                   {"inflated_once", outcome.inflated_once},
                   {"inflated_again", outcome.inflated_again},
                   {"seconds", outcome.seconds}}));
  } else if (options.request.from_stdin) {
    print(fmt::format("{}\t{}\n", outcome.kept ? "keep" : "pack", outcome.checksum));
  } else {
    print(outcome.checksum + "\n");
  }
  return 0;
}

}  // namespace pfetch::cli
