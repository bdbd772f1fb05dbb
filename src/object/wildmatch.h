// Git's glob patterns, as gitignore(5) and gitattributes(5) describe them, for any byte string.
//
// `?` one byte, `*` any run, `[a-z]` `[!a-z]` `[[:alpha:]]` one byte of a set, `\x` the byte x. With wildmatch_pathname
// none of these matches '/', and `**` as a whole path component matches any number of components (`**/` also none).
// An unclosed set, an unknown class name and a trailing backslash match nothing.
//
// Pure, thread safe, no allocation. There is no recursion and at most two places to go back to (the last `*` and the
// last `**`), so a hostile pattern costs a polynomial of the lengths, never an exponential.
#pragma once

#include <string_view>

namespace pfetch::object {

inline constexpr unsigned wildmatch_pathname = 1;  // '/' is matched only by '/' and by `**`
inline constexpr unsigned wildmatch_casefold = 2;  // ASCII letters match either case

bool wildmatch(std::string_view pattern, std::string_view text, unsigned flags);

// The number of leading bytes of `pattern` that stand for themselves: up to the first of * ? [ and backslash.
std::size_t literal_prefix_size(std::string_view pattern);

// Equality, ASCII case ignored if `casefold`.
bool same_text(std::string_view a, std::string_view b, bool casefold);

}  // namespace pfetch::object
