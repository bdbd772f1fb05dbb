// The parts of a path of the worktree or of a tree: components between single slashes, none at the ends.
//
// Pure; the results are views into the path.
#pragma once

#include <string_view>

namespace pfetch::object {

// "a/b" of "a/b/c"; empty for a path without a slash.
inline std::string_view directory_part(std::string_view path) {
  const auto slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

// "c" of "a/b/c".
inline std::string_view leaf_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace pfetch::object
