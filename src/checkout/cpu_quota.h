// How many processors this process may keep busy: those it may run on, and no more than its control groups grant it
// (cgroups(7): `cpu.max` of version 2, the CFS quota of version 1, of its own group and each one above).
//
// Thread safe. What cannot be read grants everything.
#pragma once

#include <optional>
#include <string>

namespace pfetch::checkout {

// Processors, not a whole number; nullopt: no bound. Files are looked for below `root`, for tests.
std::optional<double> cpu_quota(const std::string& root = "");

// Whole processors, at least 1; a part of one counts as one.
unsigned processors(const std::string& root = "");

}  // namespace pfetch::checkout
