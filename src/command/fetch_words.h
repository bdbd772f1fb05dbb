// The command line of a fetch as reflogs record it.
#pragma once

#include <string>
#include <vector>

namespace pfetch::command {

// "fetch" and all words, URLs without user names and passwords.
std::string reflog_words(const std::vector<std::string>& arguments);

}  // namespace pfetch::command
