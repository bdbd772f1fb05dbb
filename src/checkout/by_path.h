// Looking things up by their path in lists that are in the order of paths.
#pragma once

#include <algorithm>
#include <string_view>

namespace pfetch::checkout {

// The first element whose member `path` is this one; null when there is none. `list` is in ascending order of paths.
template <typename List>
auto find_by_path(List& list, std::string_view path) -> decltype(&*list.begin()) {
  const auto at = std::partition_point(list.begin(), list.end(), [&](const auto& one) { return one.path < path; });
  return at != list.end() && at->path == path ? &*at : nullptr;
}

}  // namespace pfetch::checkout
