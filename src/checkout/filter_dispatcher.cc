#include "checkout/filter_dispatcher.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/trace.h"

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

void FilterDispatcher::begin(FilteredFile& file) {
  if (!is_ready()) {
    file.fail(reason(*given_up_));
  } else if (!process_->smudges()) {
    file.leave(fmt::format("external filter '{}' does not smudge", command_));
  } else {
    exchange(file, file.content(), process_->delays());
  }
}

void FilterDispatcher::exchange(FilteredFile& file, std::string_view content, bool can_delay) {
  const base::TraceSpan span("filter smudge");
  FilterStatus status{};
  try {
    status = process_->smudge({file.path(), file.blob(), can_delay}, content,
                              [&file](base::Bytes piece) { file.put(piece); });
  } catch (const Error& error) {
    if (!is_filters_own(error)) throw;
    lose(words_of(error));
    file.fail(reason(words_of(error)));
    return;
  }
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

void FilterDispatcher::run(const std::vector<FilteredFile*>& files) {
  for (FilteredFile* file : files) begin(*file);
  if (!delayed_.empty()) fetch_delayed();
  if (process_) channel_->finish();
}

}  // namespace pfetch::checkout
