#include "checkout/filter_dispatcher.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/trace.h"
#include "checkout/filter_program.h"

namespace pfetch::checkout {

namespace {

// Trouble that is the filter's own; everything else ends the checkout.
bool is_filters_own(const Error& error) {
  return error.code() == ErrorCode::remote || error.code() == ErrorCode::protocol;
}

std::string words_of(const Error& error) {
  return error.code() == ErrorCode::remote ? "it hung up" : error.message();
}

}  // namespace

std::string FilterDispatcher::reason(std::string_view why) const {
  return fmt::format("external filter '{}' failed ({})", command_, why);
}

// The process is gone, and with it what it had delayed.
void FilterDispatcher::lose(const std::string& why) {
  process_.reset();
  channel_.reset();
  for (const auto& [path, file] : std::exchange(delayed_, {})) file->fail(reason(why));
}

bool FilterDispatcher::is_ready() {
  if (given_up_) return false;
  if (process_) return true;
  const base::TraceSpan span("filter start");
  try {
    channel_ = start_();
    process_ = std::make_unique<FilterProcess>(*channel_, origin_);
  } catch (const Error& error) {
    if (!is_filters_own(error)) throw;
    given_up_ = "it could not be started: " + words_of(error);
    lose(*given_up_);
  }
  return process_ != nullptr;
}

void FilterDispatcher::take(FilteredFile& file) {
  const bool cleans = direction_ == FilterDirection::clean;
  if (!is_ready()) {
    file.fail(reason(*given_up_));
  } else if (cleans ? !process_->cleans() : !process_->smudges()) {
    file.leave(fmt::format("external filter '{}' does not {}", command_, cleans ? "clean" : "smudge"));
  } else {
    exchange(file, file.content(), !cleans && process_->delays());
  }
}

void FilterDispatcher::exchange(FilteredFile& file, std::string_view content, bool can_delay) {
  const bool cleans = direction_ == FilterDirection::clean;
  const base::TraceSpan span(cleans ? "filter clean" : "filter smudge");
  const auto put = [&file](base::Bytes piece) { file.put(piece); };
  FilterStatus status{};
  std::unique_ptr<FilterProcess> process = std::move(process_);  // for good, if anything is thrown in between
  try {
    status = cleans ? process->clean(file.path(), content, put)
                    : process->smudge({file.path(), file.blob(), can_delay}, content, put);
  } catch (const Error& error) {
    if (!is_filters_own(error)) throw;
    lose(words_of(error));
    file.fail(reason(words_of(error)));
    return;
  }
  process_ = std::move(process);
  switch (status) {
    case FilterStatus::success:
      file.succeed();
      break;
    case FilterStatus::delayed:
      if (!delayed_.emplace(file.path(), &file).second) file.fail(reason("it delayed the same path twice"));
      break;
    case FilterStatus::error:
      file.fail(reason("status=error"));
      break;
    case FilterStatus::abort:
      file.fail(reason("status=abort"));
      given_up_ = "it said status=abort before";
      channel_->finish();
      lose(*given_up_);
      break;
  }
}

void FilterDispatcher::fetch(const std::vector<std::string>& paths) {
  std::string stray;
  for (const std::string& path : paths) {
    if (!process_) return;
    auto node = delayed_.extract(path);
    if (node) {
      exchange(*node.mapped(), "", false);
    } else {
      stray = path;
    }
  }
  if (process_ && !stray.empty()) lose(fmt::format("it offered '{}', which it had not delayed", stray));
}

void FilterDispatcher::fetch_delayed() {
  // A filter learns from an empty list of its own that nothing is asked of it any more.
  while (process_) {
    std::vector<std::string> paths;
    try {
      const base::TraceSpan span("filter wait");
      paths = process_->available(delayed_.size() + filter_lines_max);
    } catch (const Error& error) {
      if (!is_filters_own(error)) throw;
      lose(words_of(error));
      return;
    }
    if (paths.empty()) break;
    fetch(paths);
  }
  for (const auto& [path, file] : std::exchange(delayed_, {})) {
    file->fail(reason("it delayed the file and never offered it"));
  }
}

void FilterDispatcher::finish() {
  if (!delayed_.empty()) fetch_delayed();
  if (process_) channel_->finish();
  process_.reset();
  channel_.reset();
}

void FilterDispatcher::run(const std::vector<FilteredFile*>& files) {
  for (FilteredFile* file : files) take(*file);
  finish();
}

void run_filter_program(FilteredFile& file, const std::string& driver_command, const FilterPlace& place,
                        const base::Cancellation& cancel) {
  const int status = run_filter_program(
      filter_command(driver_command, file.path()), place, file.content(),
      [&file](base::Bytes piece) { file.put(piece); }, cancel);
  if (status == 0) {
    file.succeed();
  } else {
    file.fail(fmt::format("external filter '{}' failed {}", driver_command, status));
  }
}

}  // namespace pfetch::checkout
