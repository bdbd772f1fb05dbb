#include "cli/output.h"

#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/trace.h"

namespace pfetch::cli {

using nlohmann::json;

void print(const std::string& text) {
  base::write_all(STDOUT_FILENO, base::as_bytes(text), "standard output");
}

TraceFile::TraceFile(const std::string& path) {
  if (path.empty()) return;
  base::start_trace(path);
  base::name_trace_lane("main");
}

TraceFile::~TraceFile() {
  try {
    base::finish_trace();
  } catch (const Error& error) {
    const std::string text = "warning: could not write the trace: " + error.message() + "\n";
    [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, text.data(), text.size());
  }
}

bool shows_progress(const OutputOptions& output) {
  return output.progress.value_or(::isatty(STDERR_FILENO) == 1) && !output.quiet;
}

json stages_of(const std::vector<session::StageTime>& stages) {
  json list = json::array();
  for (const session::StageTime& stage : stages) list.push_back({{"name", stage.name}, {"seconds", stage.seconds}});
  return list;
}

std::string text_of(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace pfetch::cli
