#include "checkout/cleaner.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "checkout/filter_dispatcher.h"

namespace pfetch::checkout {

namespace {

// Keeps in memory what the filter makes of one file.
class FileInMemory : public FilteredFile {
 public:
  FileInMemory(std::string_view path, std::string_view content) : path_(path), content_(content) {}

  std::string_view path() const override { return path_; }
  object::Oid blob() const override { return {}; }
  std::string content() override { return std::string(content_); }
  void put(base::Bytes piece) override {
    check_converted_size(result_.size() + piece.size(), converted_bytes_max);
    result_ += base::as_text(piece);
  }
  void succeed() override { succeeded_ = true; }
  void fail(std::string reason) override {
    failed_ = true;
    reason_ = std::move(reason);
  }
  void leave(std::string reason) override { reason_ = std::move(reason); }

  bool succeeded() const { return succeeded_; }
  bool failed() const { return failed_; }  // otherwise there was no filter for it
  const std::string& reason() const { return reason_; }
  std::string take_result() { return std::move(result_); }

 private:
  const std::string_view path_;
  const std::string_view content_;
  std::string result_;
  std::string reason_;
  bool succeeded_ = false;
  bool failed_ = false;
};

}  // namespace

struct Cleaner::Lane {
  Lane(const std::string& command, const FilterPlace& place, const base::Cancellation& cancel)
      : dispatcher(
            command, {}, [&command, &place, &cancel] { return start_filter_channel(command, place, cancel); },
            FilterDirection::clean) {}

  std::mutex mutex;  // guards the dispatcher
  FilterDispatcher dispatcher;
};

Cleaner::Cleaner(CleanerOptions options, const base::Cancellation& cancel)
    : options_(std::move(options)), cancel_(cancel) {}

Cleaner::~Cleaner() = default;

Cleaner::Lane& Cleaner::lane_of(const std::string& command) {
  const std::lock_guard lock(lanes_mutex_);
  std::unique_ptr<Lane>& lane = lanes_[command];
  if (lane == nullptr) lane = std::make_unique<Lane>(command, options_.place, cancel_);
  return *lane;
}

void Cleaner::run_filter(const File& file, Cleaned& cleaned) {
  const FilterChoice filter = choose_filter(file.attributes, options_.drivers, FilterDirection::clean);
  if (!filter) return;
  FileInMemory filtered(file.path, file.content);
  if (filter.kind == FilterChoice::Kind::process) {
    Lane& lane = lane_of(*filter.driver->process);
    const std::lock_guard lock(lane.mutex);
    lane.dispatcher.take(filtered);
  } else if (filter.kind == FilterChoice::Kind::program) {
    run_filter_program(filtered, *filter.driver->clean, options_.place, cancel_);
  } else {
    filtered.leave(fmt::format("filter.{}.clean is not set", *filter.name));
  }
  if (filtered.succeeded()) {
    cleaned.bytes = filtered.take_result();
    cleaned.changed = true;
    return;
  }
  std::string words = fmt::format("'{}': {}", file.path, filtered.reason());
  if (filter.driver->required) {
    cleaned.refusal = std::move(words);
  } else if (filtered.failed()) {
    cleaned.errors.push_back(std::move(words));
  }
}

Cleaned Cleaner::clean(const File& file) {
  Cleaned cleaned;
  try {
    const Conversion conversion = decide_conversion(file.attributes, options_.convert);
    run_filter(file, cleaned);
    if (!cleaned.refusal) {
      convert_to_repository(file.path, file.content, conversion, options_.rules, file.index_blob, cleaned);
    }
  } catch (Error& error) {
    throw error.add_context(fmt::format("cannot convert '{}'", file.path));
  }
  return cleaned;
}

void Cleaner::finish() {
  const std::lock_guard lock(lanes_mutex_);
  for (const auto& [command, lane] : lanes_) {
    const std::lock_guard exchange(lane->mutex);
    lane->dispatcher.finish();
  }
}

}  // namespace pfetch::checkout
