// Names of files as text: joining, shortening, and asking the system what is behind them.
//
// Thread safe; std::filesystem was weighed and left out: it throws for paths that do not exist, and normalises without
// Git's rule that ".." may not lead above the root.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pfetch::repo {

std::string directory_of(const std::string& path);   // "." for a bare name
std::string current_directory();                     // throws ErrorCode::io when it is gone
std::string absolute_path(const std::string& path);  // starting from the current directory; not normalised
// `path` as it is if absolute, otherwise below `base`.
std::string path_below(const std::string& base, const std::string& path);
std::optional<std::string> real_path(const std::string& path);  // without symlinks; nullopt if it is not there
std::string real_path_or_same(const std::string& path);

// "a//b/./c/../d" as "a/b/d", without a slash at the end; an empty string when ".." leads above the root.
std::string normalised_path(std::string_view path);

}  // namespace pfetch::repo
