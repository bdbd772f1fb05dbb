// Object ids as short as they are shown to people.
#pragma once

#include <string>

#include "repo/config.h"
#include "store/reader.h"

namespace pfetch::session {

// Digits: core.abbrev; without it, git's measure: half the bits that the number of packed objects takes, 7 at least.
std::size_t abbreviation_length(const repo::Config& config, store::Reader& objects);

// That many digits, or as many more as make it the only object that begins so.
std::string abbreviated(const object::Oid& id, const repo::Config& config, store::Reader& objects);

}  // namespace pfetch::session
