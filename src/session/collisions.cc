#include "session/collisions.h"

namespace pfetch::session {

void warn_of_collisions(const std::vector<std::string>& paths, Reporter& reporter) {
  if (paths.empty()) return;
  std::string text =
      "the following paths have collided (e.g. case-sensitive paths\non a case-insensitive filesystem) and only one "
      "from the same\ncolliding group is in the working tree:\n";
  for (const std::string& path : paths) text += "\n  '" + path + "'";
  reporter.warn(text);
}

}  // namespace pfetch::session
