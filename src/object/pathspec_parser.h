// Takes pathspecs apart, for object/pathspec alone.
//
// Pure. Errors: ErrorCode::usage, in git's words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "object/pathspec.h"

namespace pfetch::object {

class PathspecParser {
 public:
  // Refuses empty texts, and settings that contradict each other.
  PathspecParser(std::span<const std::string> texts, const PathspecRules& rules);

  // `text` is not empty.
  Pathspec::Item parse(const std::string& text) const;
  // What stands for all that is not excluded.
  Pathspec::Item rest() const;

 private:
  struct Magic {
    bool top = false;
    bool literal = false;
    bool glob = false;
    bool icase = false;
    bool exclude = false;
    bool attributes_given = false;
    std::vector<PathspecAttribute> attributes;
  };

  // Both take the magic off the front of `rest`, which is `text` at first.
  static void take_long_magic(const std::string& text, std::string_view& rest, Magic& magic);
  static void take_short_magic(const std::string& text, std::string_view& rest, Magic& magic);
  static void take_word(const std::string& text, std::string_view word, Magic& magic);
  void place(std::string_view path, Pathspec::Item& item) const;
  std::optional<std::string> below_work_tree(const std::string& path) const;

  const PathspecRules& rules_;
};

}  // namespace pfetch::object
