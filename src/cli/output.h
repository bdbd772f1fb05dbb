// What commands print beside messages: results on standard output, and the trace.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "session/progress.h"

namespace pfetch::cli {

void print(const std::string& text);

// Starts the trace that was asked for, and writes it at the end, whatever happened.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
};

bool shows_progress(const OutputOptions& output);

nlohmann::json stages_of(const std::vector<session::StageTime>& stages);

// Paths and refs are bytes: what is no UTF-8 is replaced in JSON.
std::string text_of(const nlohmann::json& value);

}  // namespace pfetch::cli
