#include "base/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/fd.h"

namespace pfetch::base {

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  const char* name;
  std::int64_t start_us;
  std::int64_t value;  // duration, or a counter's value
  bool is_counter;
};

struct Lane {
  int number;
  std::string name;
  std::vector<Event> events;  // written by its own thread only, read after all threads have ended
};

struct Recorder {
  std::string path;
  Clock::time_point start = Clock::now();
  std::mutex mutex;  // guards lanes
  std::vector<std::unique_ptr<Lane>> lanes;
};

std::atomic<Recorder*> recorder{nullptr};

Lane* this_lane(Recorder& to) {
  thread_local Lane* lane = nullptr;
  if (lane == nullptr) {
    const std::lock_guard lock(to.mutex);
    to.lanes.push_back(std::make_unique<Lane>());
    lane = to.lanes.back().get();
    lane->number = static_cast<int>(to.lanes.size());
  }
  return lane;
}

std::int64_t now_us(const Recorder& of) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - of.start).count();
}

}  // namespace

void start_trace(std::string path) {
  auto* fresh = new Recorder;
  fresh->path = std::move(path);
  recorder.store(fresh);
}

void finish_trace() {
  const std::unique_ptr<Recorder> done(recorder.exchange(nullptr));
  if (!done) return;
  std::string text = "[\n";
  const int pid = ::getpid();
  for (const auto& lane : done->lanes) {
    if (!lane->name.empty()) {
      text += fmt::format(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}}}},)"
                          "\n",
                          pid, lane->number, lane->name);
    }
    for (const Event& event : lane->events) {
      if (event.is_counter) {
        text += fmt::format(R"({{"name":"{}","ph":"C","ts":{},"pid":{},"tid":{},"args":{{"value":{}}}}},)"
                            "\n",
                            event.name, event.start_us, pid, lane->number, event.value);
      } else {
        text += fmt::format(R"({{"name":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{}}},)"
                            "\n",
                            event.name, event.start_us, event.value, pid, lane->number);
      }
    }
  }
  text += fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"pfetch"}}}})"
                      "\n]\n",
                      pid);
  const UniqueFd fd = open_file(done->path, O_WRONLY | O_CREAT | O_TRUNC);
  write_all(fd.get(), as_bytes(text), done->path);
}

void name_trace_lane(const std::string& name) {
  if (Recorder* to = recorder.load(std::memory_order_acquire)) this_lane(*to)->name = name;
}

void trace_counter(const char* name, std::int64_t value) {
  if (Recorder* to = recorder.load(std::memory_order_acquire)) {
    this_lane(*to)->events.push_back({name, now_us(*to), value, true});
  }
}

TraceSpan::TraceSpan(const char* name) : name_(name) {
  if (const Recorder* to = recorder.load(std::memory_order_acquire)) start_us_ = now_us(*to);
}

TraceSpan::~TraceSpan() {
  if (start_us_ < 0) return;
  if (Recorder* to = recorder.load(std::memory_order_acquire)) {
    this_lane(*to)->events.push_back({name_, start_us_, now_us(*to) - start_us_, false});
  }
}

}  // namespace pfetch::base
