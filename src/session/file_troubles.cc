#include "session/file_troubles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace pfetch::session {

void warn_of_collisions(const std::vector<std::string>& paths, Reporter& reporter) {
  if (paths.empty()) return;
  std::string text =
      "the following paths have collided (e.g. case-sensitive paths\non a case-insensitive filesystem) and only one "
      "from the same\ncolliding group is in the working tree:\n";
  for (const std::string& path : paths) text += "\n  '" + path + "'";
  reporter.warn(text);
}

std::size_t report_filter_failures(std::span<const checkout::FilterFailure> failures, Reporter& reporter) {
  std::size_t lost = 0;
  for (const checkout::FilterFailure& failure : failures) {
    if (failure.required) {
      ++lost;
      reporter.complain(fmt::format("{}: smudge filter {} failed: {}", failure.path, failure.filter, failure.reason));
    } else {
      reporter.complain(fmt::format("'{}' was not filtered: {}", failure.path, failure.reason));
    }
  }
  return lost;
}

void require_filtered(std::span<const checkout::FilterFailure> failures) {
  const auto is_required = [](const checkout::FilterFailure& failure) { return failure.required; };
  const auto first = std::find_if(failures.begin(), failures.end(), is_required);
  if (first == failures.end()) return;
  std::string words = fmt::format("{}: smudge filter {} failed", first->path, first->filter);
  if (const auto others = std::count_if(first + 1, failures.end(), is_required); others > 0) {
    words += fmt::format(" (and at {} other file{})", others, others == 1 ? "" : "s");
  }
  throw Error(ErrorCode::remote, words);
}

}  // namespace pfetch::session
