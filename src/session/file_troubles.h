// What goes wrong with single files of a checkout, and how it is told, in git's words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkout/delivery.h"
#include "session/reporter.h"

namespace pfetch::session {

// Names all members of all groups of paths that a file system takes for one. Nothing when there are none.
void warn_of_collisions(const std::vector<std::string>& paths, Reporter& reporter);

// Returns how many files are missing now: those of required filters.
std::size_t report_filter_failures(std::span<const checkout::FilterFailure> failures, Reporter& reporter);

// Throws ErrorCode::remote in git's words when files are missing for that.
void require_filtered(std::span<const checkout::FilterFailure> failures);

}  // namespace pfetch::session
