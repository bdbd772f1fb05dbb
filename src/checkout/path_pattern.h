// One pattern of gitattributes(5) or gitignore(5), compiled: without a '/' it is compared with the last component of a
// path, otherwise with the whole path below the directory of its file.
//
// Patterns are sorted into kinds, once, so that the usual `*.c` costs one comparison for each path. Immutable, any
// thread may match; it borrows the text of the pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "object/wildmatch.h"

namespace pfetch::checkout {

class PathPattern {
 public:
  // `pattern` without the '/' that ends one for directories. `casefold`: core.ignoreCase.
  PathPattern(std::string_view pattern, bool casefold);

  // `path` is relative to the directory of the pattern's file; `basename` is its last component.
  bool matches(std::string_view path, std::string_view basename) const;

 private:
  enum class Kind : std::uint8_t { basename_literal, basename_suffix, basename_glob, path_literal, path_glob };

  bool same(std::string_view text) const;

  Kind kind_{};
  bool casefold_;
  std::string_view text_;                    // a suffix without its '*'
  std::optional<object::WildPattern> glob_;  // of the two kinds that need one
};

}  // namespace pfetch::checkout
