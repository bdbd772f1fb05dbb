#include "cli/run.h"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fd.h"
#include "base/trace.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "command/clone.h"

namespace pfetch::cli {

namespace {

using nlohmann::json;

void print(const std::string& text) {
  base::write_all(STDOUT_FILENO, base::as_bytes(text), "standard output");
}

// Starts the trace that was asked for, and writes it at the end, whatever happened.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) {
    if (path.empty()) return;
    base::start_trace(path);
    base::name_trace_lane("main");
  }
  ~TraceFile() {
    try {
      base::finish_trace();
    } catch (const Error& error) {
      const std::string text = "warning: could not write the trace: " + error.message() + "\n";
      [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, text.data(), text.size());
    }
  }
};

bool shows_progress(const OutputOptions& output) {
  return output.progress.value_or(::isatty(STDERR_FILENO) == 1) && !output.quiet;
}

json stages_of(const std::vector<session::StageTime>& stages) {
  json list = json::array();
  for (const session::StageTime& stage : stages) list.push_back({{"name", stage.name}, {"seconds", stage.seconds}});
  return list;
}

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

// Paths and refs are bytes: what is no UTF-8 is replaced in JSON.
std::string text_of(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
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
