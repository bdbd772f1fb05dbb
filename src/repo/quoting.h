// The two ways Git quotes words in the environment, in its files and in what it prints.
//
// Pure and thread safe. What takes words apart reads from the front of `text` and moves it past what it took.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pfetch::repo {

// A word in double quotes with C escapes (\a \b \f \n \r \t \v \\ \" \ooo), as core.quotePath and
// objects/info/alternates have it. nullopt, and `text` unmoved, when it does not begin with '"' or is malformed.
std::optional<std::string> take_c_quoted(std::string_view& text);

// A path as Git prints it: in double quotes with C escapes where it holds a control character, '"' or '\\'; with
// `all_bytes` (core.quotePath) also where it holds bytes over 0x7f. Otherwise as it is.
std::string c_quoted(std::string_view path, bool all_bytes);

// A word in single quotes as a shell reads it ('it'\''s', 'no'\!'), as GIT_CONFIG_PARAMETERS has it. nullopt, and
// `text` unmoved, when it does not begin with a quote or does not end.
std::optional<std::string> take_shell_quoted(std::string_view& text);

}  // namespace pfetch::repo
