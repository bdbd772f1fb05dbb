#include "object/wildmatch.h"

#include <algorithm>
#include <cstddef>

namespace pfetch::object {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

// The C locale's classes, whatever the process's locale is.
bool is_upper(unsigned char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(unsigned char c) {
  return c >= 'a' && c <= 'z';
}
bool is_alpha(unsigned char c) {
  return is_upper(c) || is_lower(c);
}
bool is_digit(unsigned char c) {
  return c >= '0' && c <= '9';
}
bool is_graph(unsigned char c) {
  return c > 0x20 && c < 0x7f;
}
unsigned char to_lower(unsigned char c) {
  return is_upper(c) ? static_cast<unsigned char>(c + 32) : c;
}
unsigned char to_upper(unsigned char c) {
  return is_lower(c) ? static_cast<unsigned char>(c - 32) : c;
}

// 1 in the class, 0 outside, -1 there is no class of that name.
int in_named_class(std::string_view name, unsigned char c, bool casefold) {
  if (name == "alnum") return is_alpha(c) || is_digit(c);
  if (name == "alpha") return is_alpha(c);
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return c < 0x20 || c == 0x7f;
  if (name == "digit") return is_digit(c);
  if (name == "graph") return is_graph(c);
  if (name == "lower") return is_lower(c) || (casefold && is_upper(c));
  if (name == "print") return is_graph(c) || c == ' ';
  if (name == "punct") return is_graph(c) && !is_alpha(c) && !is_digit(c);
  if (name == "space") return c == ' ' || (c >= '\t' && c <= '\r');
  if (name == "upper") return is_upper(c) || (casefold && is_lower(c));
  if (name == "xdigit") return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
  return -1;
}

// A bracket expression: `at` points behind the '['. After match(), `at` points behind the ']'.
class Bracket {
 public:
  Bracket(std::string_view pattern, std::size_t at, bool casefold) : pattern_(pattern), at_(at), casefold_(casefold) {}

  std::size_t at() const { return at_; }

  // False too when the expression is malformed; `at` is then not to be used.
  bool match(unsigned char c) {
    bool negated = false;
    if (at_ < pattern_.size() && (pattern_[at_] == '!' || pattern_[at_] == '^')) {
      negated = true;
      ++at_;
    }
    bool found = false;
    int before = -1;  // the byte that may begin a range
    bool first = true;
    for (;; first = false) {
      if (at_ >= pattern_.size()) return false;
      unsigned char member = byte(at_);
      if (member == ']' && !first) break;
      if (member == '-' && before >= 0 && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
        ++at_;
        if (!take_literal(member)) return false;
        found = found || in_range(c, static_cast<unsigned char>(before), member);
        before = -1;
        continue;
      }
      if (member == '[' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] == ':') {
        const int verdict = take_class(c, found);
        if (verdict < 0) return false;
        if (verdict > 0) {
          before = -1;
          continue;
        }
      }
      if (!take_literal(member)) return false;
      found = found || in_range(c, member, member);
      before = member;
    }
    ++at_;
    return found != negated;
  }

 private:
  unsigned char byte(std::size_t i) const { return static_cast<unsigned char>(pattern_[i]); }

  bool take_literal(unsigned char& member) {
    if (byte(at_) == '\\') ++at_;
    if (at_ >= pattern_.size()) return false;
    member = byte(at_++);
    return true;
  }

  // `[:name:]`: 1 taken, 0 it is no class and '[' stands for itself, -1 malformed.
  int take_class(unsigned char c, bool& found) {
    const std::size_t close = pattern_.find(']', at_ + 2);
    if (close == nowhere) return -1;
    if (close < at_ + 3 || pattern_[close - 1] != ':') return 0;
    const int verdict = in_named_class(pattern_.substr(at_ + 2, close - 1 - (at_ + 2)), c, casefold_);
    if (verdict < 0) return -1;
    found = found || verdict > 0;
    at_ = close + 1;
    return 1;
  }

  bool in_range(unsigned char c, unsigned char low, unsigned char high) const {
    if (c >= low && c <= high) return true;
    if (!casefold_) return false;
    const unsigned char lower = to_lower(c);
    const unsigned char upper = to_upper(c);
    return (lower >= low && lower <= high) || (upper >= low && upper <= high);
  }

  std::string_view pattern_;
  std::size_t at_;
  bool casefold_;
};

class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view text, unsigned flags)
      : pattern_(pattern),
        text_(text),
        pathname_((flags & wildmatch_pathname) != 0),
        casefold_((flags & wildmatch_casefold) != 0) {}

  bool run() {
    for (;;) {
      if (p_ < pattern_.size() && pattern_[p_] == '*') {
        if (begin_star()) return true;
        continue;
      }
      if (p_ == pattern_.size() && t_ == text_.size()) return true;
      if (p_ < pattern_.size() && t_ < text_.size() && match_one()) continue;
      if (!go_back()) return false;
    }
  }

 private:
  struct Retry {
    std::size_t pattern = nowhere;  // where the pattern goes on behind the star
    std::size_t text = 0;           // where its next try begins
  };

  // Matches one byte by one element, and moves behind both.
  bool match_one() {
    const auto c = static_cast<unsigned char>(text_[t_]);
    auto wanted = static_cast<unsigned char>(pattern_[p_]);
    std::size_t next = p_ + 1;
    if (wanted == '?') {
      if (pathname_ && c == '/') return false;
    } else if (wanted == '[') {
      if (pathname_ && c == '/') return false;
      Bracket bracket(pattern_, next, casefold_);
      if (!bracket.match(c)) return false;
      next = bracket.at();
    } else {
      if (wanted == '\\') {
        if (next == pattern_.size()) return false;
        wanted = static_cast<unsigned char>(pattern_[next++]);
      }
      if (c != wanted && !(casefold_ && to_lower(c) == to_lower(wanted))) return false;
    }
    p_ = next;
    ++t_;
    return true;
  }

  // At a run of stars. True when the whole match is decided: the rest of the text is taken.
  bool begin_star() {
    std::size_t behind = p_;
    while (behind < pattern_.size() && pattern_[behind] == '*') ++behind;
    const bool last = behind == pattern_.size();
    if (!pathname_) {
      if (last) return true;
      star_ = {behind, t_};
    } else if (is_component(behind)) {
      if (last) return true;
      // Earlier stars need no second thought: this one can take whatever they would.
      star_ = {};
      whole_components_ = pattern_[behind] == '/';
      star_star_ = {whole_components_ ? behind + 1 : behind, t_};
      behind = star_star_.pattern;
    } else {
      star_ = {behind, t_};
    }
    p_ = behind;
    return false;
  }

  // Is the run of stars from p_ to `behind` a `**` that stands alone between slashes?
  bool is_component(std::size_t behind) const {
    if (behind - p_ < 2 || (p_ > 0 && pattern_[p_ - 1] != '/')) return false;
    const std::string_view rest = pattern_.substr(behind);
    return rest.empty() || rest.front() == '/' || rest.substr(0, 2) == "\\/";
  }

  bool go_back() {
    if (star_.pattern != nowhere && star_.text < text_.size() && !(pathname_ && text_[star_.text] == '/')) {
      ++star_.text;
      p_ = star_.pattern;
      t_ = star_.text;
      return true;
    }
    if (star_star_.pattern == nowhere) return false;
    if (whole_components_) {
      const std::size_t slash = text_.find('/', star_star_.text);
      if (slash == nowhere) return false;
      star_star_.text = slash;
    }
    if (star_star_.text >= text_.size()) return false;
    ++star_star_.text;
    star_ = {};
    p_ = star_star_.pattern;
    t_ = star_star_.text;
    return true;
  }

  std::string_view pattern_;
  std::string_view text_;
  bool pathname_;
  bool casefold_;
  std::size_t p_ = 0;
  std::size_t t_ = 0;
  Retry star_;
  Retry star_star_;
  bool whole_components_ = false;  // star_star_ goes on only behind a slash
};

}  // namespace

bool wildmatch(std::string_view pattern, std::string_view text, unsigned flags) {
  return Matcher(pattern, text, flags).run();
}

std::size_t literal_prefix_size(std::string_view pattern) {
  const std::size_t special = pattern.find_first_of("*?[\\");
  return special == nowhere ? pattern.size() : special;
}

bool same_text(std::string_view a, std::string_view b, bool casefold) {
  if (!casefold) return a == b;
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return to_lower(static_cast<unsigned char>(x)) == to_lower(static_cast<unsigned char>(y));
         });
}

}  // namespace pfetch::object
