// What `pfetch fetch` says about refs, as lines.
#pragma once

#include <string>
#include <vector>

#include "command/fetch_arguments.h"
#include "command/fetch_remote.h"
#include "command/fetch_updates.h"
#include "session/holdings.h"

namespace pfetch::command {

// The table, and what became of symbolic refs whose target was pruned.
std::vector<std::string> report_lines(const std::vector<RefDecision>& decisions, const FetchArguments& arguments,
                                      const FetchRemote& remote, session::Holdings& here);

}  // namespace pfetch::command
