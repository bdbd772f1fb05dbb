// Matching a path against a pattern in which "*" and "?" stop at slashes and "**" does not (gitignore, "PATTERN
// FORMAT"), for the conditions of includeIf.
//
// Pure and thread safe. Takes at most pattern.size() × text.size() steps; what is longer than path_glob_size_max bytes
// matches nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace pfetch::repo {

inline constexpr std::size_t path_glob_size_max = 16384;

bool path_glob_matches(std::string_view pattern, std::string_view text, bool ignore_case);

}  // namespace pfetch::repo
