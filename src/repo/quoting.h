// Taking apart the two ways Git quotes words in the environment and in its files, and quoting paths as it does.
//
// Pure and thread safe. Both `take_` functions read from the front of `text` and move it past what they took.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pfetch::repo {

// A word in double quotes with C escapes (\a \b \f \n \r \t \v \\ \" \ooo), as core.quotePath and
// objects/info/alternates have it. nullopt, and `text` unmoved, when it does not begin with '"' or is malformed.
std::optional<std::string> take_c_quoted(std::string_view& text);

// A word in single quotes as a shell reads it ('it'\''s', 'no'\!'), as GIT_CONFIG_PARAMETERS has it. nullopt, and
// `text` unmoved, when it does not begin with a quote or does not end.
std::optional<std::string> take_shell_quoted(std::string_view& text);

// A path as git shows it: in double quotes with C escapes if it holds control characters, quotes, backslashes or, with
// `quotes_high_bytes` (core.quotePath), bytes beyond ASCII; otherwise as it is.
std::string shown_path(std::string_view path, bool quotes_high_bytes);

}  // namespace pfetch::repo
