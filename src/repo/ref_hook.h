// The hook `reference-transaction` (githooks(5)): told "prepared", "committed" or "aborted", with one line
// "<old id> <new id> <name>\n" for each ref on its stdin. One thread. Its stdout goes to our stderr.
#pragma once

#include <string_view>

#include "repo/refs.h"

namespace pfetch::repo {

// Whether the hook is there and may be executed.
bool has_reference_hook(const RefsOptions& options);

// Runs it; returns its exit status, 0 when there is none. A hook that does not read all of its stdin is no error.
int run_reference_hook(const RefsOptions& options, std::string_view state, std::string_view lines);

}  // namespace pfetch::repo
