// A timeline of every stage, written as Chrome trace events (the "Trace Event Format", JSON array of complete events),
// one lane per thread. Nothing is recorded, and a span costs one relaxed load, until `start_trace` has been called.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace pfetch::base {

// Starts recording; `finish_trace` writes the file. Not thread safe: called by cli before and after the work.
void start_trace(std::string path);
void finish_trace();

// Names the calling thread's lane ("receive", "worker 2").
void name_trace_lane(const std::string& name);

// A value over time, drawn as a graph ("bytes received").
void trace_counter(const char* name, std::int64_t value);

// A stage from construction to destruction, on the calling thread's lane. `name` must outlive the trace (a literal).
class TraceSpan {
 public:
  explicit TraceSpan(const char* name);
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  const char* name_;
  std::int64_t start_us_ = -1;  // −1: not recording
};

}  // namespace pfetch::base
