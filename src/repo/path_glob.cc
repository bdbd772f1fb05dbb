#include "repo/path_glob.h"

#include <vector>

namespace pfetch::repo {

namespace {

class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view text, bool ignore_case)
      : pattern_(pattern), text_(text), ignore_case_(ignore_case), failed_((pattern.size() + 1) * (text.size() + 1)) {}

  // Whether pattern[p…] matches text[t…]. What failed once is remembered, so that stars cannot multiply the work.
  bool matches(std::size_t p, std::size_t t) {
    const std::size_t place = p * (text_.size() + 1) + t;
    if (failed_[place]) return false;
    if (matches_afresh(p, t)) return true;
    failed_[place] = true;
    return false;
  }

 private:
  char fold(char c) const { return ignore_case_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

  bool matches_afresh(std::size_t p, std::size_t t) {
    for (; p < pattern_.size(); ++p, ++t) {
      if (pattern_[p] == '*') return matches_star(p, t);
      if (t == text_.size()) return false;
      if (pattern_[p] == '[') {
        if (text_[t] == '/' || !matches_set(p, text_[t])) return false;
      } else if (pattern_[p] == '?') {
        if (text_[t] == '/') return false;
      } else {
        if (pattern_[p] == '\\' && p + 1 < pattern_.size()) ++p;
        if (fold(pattern_[p]) != fold(text_[t])) return false;
      }
    }
    return t == text_.size();
  }

  bool matches_star(std::size_t p, std::size_t t) {
    std::size_t after = p;
    while (after < pattern_.size() && pattern_[after] == '*') ++after;
    // "**" crosses slashes only where it is a whole component.
    const bool whole =
        after - p == 2 && (p == 0 || pattern_[p - 1] == '/') && (after == pattern_.size() || pattern_[after] == '/');
    if (whole && after < pattern_.size() && matches(after + 1, t)) return true;  // "**/" also stands for nothing
    const std::size_t first = t;
    for (;; ++t) {
      if (matches(after, t)) return true;
      if (t == text_.size() || (!whole && text_[t] == '/')) break;
    }
    for (std::size_t place = first; place <= t; ++place) failed_[p * (text_.size() + 1) + place] = true;
    return false;
  }

  // pattern[p] is "["; leaves p at the closing "]". A set that never closes matches nothing.
  bool matches_set(std::size_t& p, char c) {
    const std::size_t first = p + 1;
    std::size_t at = first;
    const bool negated = at < pattern_.size() && (pattern_[at] == '!' || pattern_[at] == '^');
    if (negated) ++at;
    bool found = false;
    for (const std::size_t start = at; at < pattern_.size(); ++at) {
      if (pattern_[at] == ']' && at > start) {
        p = at;
        return found != negated;
      }
      const char low = pattern_[at];
      char high = low;
      if (at + 2 < pattern_.size() && pattern_[at + 1] == '-' && pattern_[at + 2] != ']') {
        high = pattern_[at + 2];
        at += 2;
      }
      if ((low <= c && c <= high) || (fold(low) <= fold(c) && fold(c) <= fold(high))) found = true;
    }
    return false;
  }

  std::string_view pattern_;
  std::string_view text_;
  bool ignore_case_;
  std::vector<bool> failed_;
};

}  // namespace

bool path_glob_matches(std::string_view pattern, std::string_view text, bool ignore_case) {
  if (pattern.size() > path_glob_size_max || text.size() > path_glob_size_max) return false;
  return Matcher(pattern, text, ignore_case).matches(0, 0);
}

}  // namespace pfetch::repo
