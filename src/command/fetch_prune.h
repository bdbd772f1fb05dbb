// Which refs here no longer stand for anything on the other side (git-fetch --prune).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command/fetch_updates.h"
#include "object/refspec.h"
#include "repo/refs.h"
#include "transport/remote_refs.h"

namespace pfetch::command {

// A ref that some refspec would store, though the other side has nothing to store there. Symbolic refs stay.
std::vector<RefDecision> stale_refs(const std::vector<object::Refspec>& refspecs,
                                    const transport::RemoteRefs& advertised, const std::vector<repo::Ref>& here);

}  // namespace pfetch::command
