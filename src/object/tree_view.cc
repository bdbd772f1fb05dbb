#include "object/tree_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace pfetch::object {

void TreeView::throw_malformed(const char* entry, const char* why) const {
  throw Error(ErrorCode::corrupt,
              fmt::format("tree {}: entry at byte {} is malformed: {}", id_.hex(), entry - bytes_.data(), why));
}

int compare_tree_names(std::string_view a, bool a_is_tree, std::string_view b, bool b_is_tree) {
  const std::size_t common = std::min(a.size(), b.size());
  if (const int order = std::char_traits<char>::compare(a.data(), b.data(), common); order != 0) return order;
  const auto next = [common](std::string_view name, bool is_tree) -> int {
    if (name.size() > common) return static_cast<unsigned char>(name[common]);
    return is_tree ? '/' : 0;
  };
  return next(a, a_is_tree) - next(b, b_is_tree);
}

}  // namespace pfetch::object
