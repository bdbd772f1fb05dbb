// The directory that a clone goes to when none is named: the last part of the URL, as git-clone finds it.
#pragma once

#include <string>

namespace pfetch::command {

// "https://host/path/name.git/" → "name"; with `bare` "name.git". Throws ErrorCode::usage when there is no name in it.
std::string directory_from_url(const std::string& url, bool bare);

}  // namespace pfetch::command
