// Dates as people write them, as git takes them for --shallow-since and its kind (git-commit, "DATE FORMATS";
// gitrevisions: "yesterday", "2.weeks.ago").
//
// Local time is that of TZ (localtime_r, mktime). Nothing but the clock's zone is read; any thread may call. What is
// not understood is passed over, so that any text gives a date, as with git.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pfetch::repo {

inline constexpr std::size_t date_size_max = 1024;

// Seconds since the epoch. First the whole text is tried as an exact date ("@1700000000 +0000", RFC 2822, ISO 8601,
// nine digits or more); if it does not hold date and time both, as an approximate one: what is not said is as in `now`,
// and units count backwards from it. Dates before 1970 give 0. nullopt only for a text
// of more than date_size_max bytes.
std::optional<std::int64_t> parse_approxidate(std::string_view text, std::int64_t now);

}  // namespace pfetch::repo
