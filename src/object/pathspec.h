// Pathspecs: patterns that choose paths (gitglossary(7), "pathspec"), with the magic words top, literal, icase, glob,
// attr and exclude, in their long and short forms. Where the glossary is silent git 2.39 is the oracle.
//
// Pure, immutable once parsed, any thread may match. A plain path costs a search in a sorted list, so that thousands of
// them (--pathspec-from-file) are no slower than one; patterns are tried one by one.
//
// Errors: ErrorCode::usage, in git's words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "object/wildmatch.h"

namespace pfetch::object {

struct PathspecRules {
  std::string prefix{};     // from the top of the worktree to the current directory, "" or ending in '/'
  bool literal = false;     // --literal-pathspecs, GIT_LITERAL_PATHSPECS
  bool glob = false;        // --glob-pathspecs, GIT_GLOB_PATHSPECS
  bool noglob = false;      // --noglob-pathspecs, GIT_NOGLOB_PATHSPECS
  bool icase = false;       // --icase-pathspecs, GIT_ICASE_PATHSPECS
  std::string work_tree{};  // absolute, for pathspecs that are absolute paths; empty: those are refused
  // Resolves symbolic links, so that absolute paths may lead into the worktree by another way. Empty: compared as text.
  std::function<std::optional<std::string>(const std::string& path)> real_path{};
  // Where nothing but exclusions is given, all the rest is meant: below the current directory (ls-files, add) or
  // below the top (checkout, reset).
  bool rest_is_here = false;
};

// A demand of `:(attr:...)`.
struct PathspecAttribute {
  enum class Kind : std::uint8_t { set, unset, unspecified, value };  // `name`, `-name`, `!name`, `name=value`
  std::string name;
  Kind kind = Kind::set;
  std::string value;

  friend bool operator==(const PathspecAttribute&, const PathspecAttribute&) = default;
};
// Whether a path has all of these.
using PathspecAttributeTest = std::function<bool(std::string_view path, std::span<const PathspecAttribute> wanted)>;

// Which items of a pathspec have matched so far. Each thread has its own; they are put together at the end.
class PathspecMatches {
 public:
  PathspecMatches& operator|=(const PathspecMatches& other);

 private:
  friend class Pathspec;
  std::vector<bool> items_;  // as long as the pathspec, or empty: nothing matched
};

class Pathspec {
 public:
  Pathspec() = default;  // no items: every path matches
  Pathspec(std::span<const std::string> texts, const PathspecRules& rules);

  bool empty() const { return items_.empty(); }
  // Whether `matches` needs an attribute test.
  bool has_attributes() const { return has_attributes_; }
  // The names of all attributes that it asks for, each once.
  std::vector<std::string> attribute_names() const;

  // `path` is that of a file, or of a gitlink, which a pattern that ends in '/' may name. Items that match the path are
  // noted in `matched`, even if it is excluded in the end.
  bool matches(std::string_view path, bool is_gitlink = false, const PathspecAttributeTest& attributes = {},
               PathspecMatches* matched = nullptr) const;

  // False only if no path below `directory` (without a '/' at its end; "" is the top) can match.
  bool may_match_below(std::string_view directory) const;

  // The items that never matched, as they were given. Exclusions need not match, but when there was nothing to exclude
  // from, since no other item matched either, they are among them, as in git.
  std::vector<std::string> unmatched(const PathspecMatches& matched) const;

 private:
  friend class PathspecParser;
  struct Item {
    std::string text;               // as it was given
    std::string path;               // from the top of the worktree
    std::size_t exact_bytes = 0;    // at its front, the current directory: never folded, never a pattern
    std::size_t literal_bytes = 0;  // before the first wildcard
    bool exclude = false;
    bool icase = false;
    std::optional<WildPattern> pattern;  // what follows the literal bytes
    std::vector<PathspecAttribute> attributes;

    bool has_literal_front(std::string_view name) const;
    bool names(std::string_view path, bool is_gitlink) const;
    bool may_match_below(std::string_view directory) const;
    std::string_view plain_path() const;
  };

  void sort_out();
  template <typename Act>
  void for_plain_above(std::string_view path, const Act& act) const;
  bool has_plain_below(std::string_view directory) const;

  std::vector<Item> items_;
  std::vector<std::uint32_t> plain_;     // items that are paths and nothing else, by plain_path
  std::vector<std::uint32_t> patterns_;  // all others
  bool has_attributes_ = false;
  bool has_exclusions_ = false;
};

}  // namespace pfetch::object
