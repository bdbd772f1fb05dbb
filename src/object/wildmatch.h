// Git's glob patterns: `*`, `?`, `[...]` and, between slashes, `**`.
//
// The meaning is that of gitignore(5) and of the "glob" pathspec magic in gitglossary(7); where those are silent
// (classes, case folding, escapes) git 2.39 is the oracle. Patterns come from repositories, so matching must not blow
// up: a pattern is compiled once into at most pattern.size() + 1 steps, and a match walks the text once with the set of
// live steps. The cost is steps × bytes of text, whatever the pattern. (fnmatch(3) was weighed: no `**`, locale
// dependent, exponential.)
//
// A WildPattern is immutable: any thread may match. It owns what it needs. Nothing is thrown.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pfetch::object {

struct WildRules {
  bool path_name = false;  // WM_PATHNAME: `*`, `?` and classes stop at '/', only `**` crosses it
  bool fold_case = false;  // WM_CASEFOLD, ASCII only
  // What gitattributes, gitignore and ":(glob)" pathspecs do: the bytes before the first wildcard are compared on their
  // own, and the rest is a pattern that begins there. It shows only in "foo**", which then acts as "**" does after '/'.
  bool prefix_apart = false;
};

class WildPattern {
 public:
  WildPattern(std::string_view pattern, WildRules rules);

  bool matches(std::string_view text) const;

 private:
  enum class Op : std::uint8_t {
    byte,         // exactly `value`
    any,          // `?`
    set,          // sets_[value]
    star,         // any run of bytes but '/'
    super_star,   // any run of bytes
    directories,  // `**/`: nothing, or any run of bytes that ends in '/'
    never,        // a malformed class: nothing matches
  };
  struct Step {
    Op op;
    std::uint32_t value = 0;
  };
  using ByteSet = std::bitset<256>;

  void compile(std::string_view pattern);
  // Both compile what begins at `at` and return the place after it.
  std::size_t compile_stars(std::string_view pattern, std::size_t at);
  std::size_t compile_set(std::string_view pattern, std::size_t at);
  void find_prefix();
  bool accepts(const Step& step, unsigned char byte) const;
  bool has_prefix(std::string_view text) const;
  void add(std::uint8_t* live, std::size_t step) const;
  bool advance(const std::uint8_t* live, std::uint8_t* next, unsigned char byte) const;

  WildRules rules_;
  std::vector<Step> steps_;
  std::vector<ByteSet> sets_;
  std::string prefix_;  // every match begins with it; with fold_case in lower case
};

// Compiles and matches once.
bool wildmatch(std::string_view pattern, std::string_view text, WildRules rules = {});

// Whether `text` holds a byte that is special to wildmatch: * ? [ or a backslash. Without, it matches only itself, and
// callers may compare or look up instead.
bool has_wildcard(std::string_view text);

}  // namespace pfetch::object
