#include "session/file_troubles.h"

#include <fmt/format.h>

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

}  // namespace pfetch::session
