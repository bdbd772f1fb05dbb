#include "checkout/path_pattern.h"

#include "base/ascii.h"

namespace pfetch::checkout {

PathPattern::PathPattern(std::string_view pattern, bool casefold) : casefold_(casefold) {
  const bool is_path = pattern.find('/') != std::string_view::npos;
  if (is_path && pattern[0] == '/') pattern.remove_prefix(1);
  if (!object::has_wildcard(pattern)) {
    kind_ = is_path ? Kind::path_literal : Kind::basename_literal;
  } else if (!is_path && pattern[0] == '*' && !object::has_wildcard(pattern.substr(1))) {
    kind_ = Kind::basename_suffix;
    pattern.remove_prefix(1);
  } else {
    kind_ = is_path ? Kind::path_glob : Kind::basename_glob;
    glob_.emplace(pattern, object::WildRules{.path_name = is_path, .fold_case = casefold, .prefix_apart = is_path});
  }
  text_ = pattern;
}

bool PathPattern::same(std::string_view text) const {
  return casefold_ ? base::same_ignoring_case(text_, text) : text_ == text;
}

bool PathPattern::matches(std::string_view path, std::string_view basename) const {
  switch (kind_) {
    case Kind::basename_literal:
      return same(basename);
    case Kind::basename_suffix:
      return basename.size() >= text_.size() && same(basename.substr(basename.size() - text_.size()));
    case Kind::basename_glob:
      return glob_->matches(basename);
    case Kind::path_literal:
      return same(path);
    case Kind::path_glob:
      return glob_->matches(path);
  }
  return false;
}

}  // namespace pfetch::checkout
