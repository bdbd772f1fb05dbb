// Paths that a file system takes for one.
#pragma once

#include <string>
#include <vector>

#include "session/reporter.h"

namespace pfetch::session {

// Names all members of all groups, in git's words. Nothing when there are none.
void warn_of_collisions(const std::vector<std::string>& paths, Reporter& reporter);

}  // namespace pfetch::session
