#include "object/wildmatch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/ascii.h"

namespace pfetch::object {

namespace {

constexpr const char* special_bytes = "*?[\\";

bool is_print(char c) {
  return c >= 0x20 && c <= 0x7e;
}

// The named classes of POSIX, in the C locale. nullopt: no such class.
std::optional<bool> in_named_class(std::string_view name, char c, bool fold_case) {
  if (name == "alnum") return base::is_letter(c) || base::is_digit(c);
  if (name == "alpha") return base::is_letter(c);
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  if (name == "digit") return base::is_digit(c);
  if (name == "graph") return is_print(c) && c != ' ';
  if (name == "lower") return base::is_lower(c);
  if (name == "print") return is_print(c);
  if (name == "punct") return is_print(c) && c != ' ' && !base::is_letter(c) && !base::is_digit(c);
  if (name == "space") return c == ' ' || (c >= '\t' && c <= '\r');
  if (name == "upper") return base::is_upper(c) || (fold_case && base::is_lower(c));
  if (name == "xdigit") return base::hex_digit(c) >= 0;
  return std::nullopt;
}

// One item of a bracket expression: a byte, a range or a named class.
struct SetItem {
  enum class What { byte, range, named } what = What::byte;
  unsigned char low = 0;
  unsigned char high = 0;
  std::string_view name;
};

struct ParsedSet {
  std::vector<SetItem> items;
  bool negated = false;
  bool malformed = false;  // no closing bracket, or an unknown named class
  std::size_t end = 0;     // the place after ']' (the end of the pattern when malformed)
};

ParsedSet malformed_set(std::string_view pattern) {
  ParsedSet parsed;
  parsed.malformed = true;
  parsed.end = pattern.size();
  return parsed;
}

// `at` is the place after '['. A first ']' is an ordinary byte; '-' is one at either end.
ParsedSet parse_set(std::string_view pattern, std::size_t at) {
  ParsedSet parsed;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) {
    parsed.negated = true;
    ++at;
  }
  int previous = 0;  // the byte a range could start at; 0: none
  for (bool first = true;; first = false) {
    if (at >= pattern.size()) return malformed_set(pattern);
    auto c = static_cast<unsigned char>(pattern[at]);
    if (c == ']' && !first) break;
    if (c == '-' && previous != 0 && at + 1 < pattern.size() && pattern[at + 1] != ']') {
      ++at;
      if (pattern[at] == '\\' && ++at >= pattern.size()) return malformed_set(pattern);
      const auto high = static_cast<unsigned char>(pattern[at]);
      parsed.items.push_back({SetItem::What::range, static_cast<unsigned char>(previous), high, {}});
      previous = 0;
      ++at;
      continue;
    }
    if (c == '[' && at + 1 < pattern.size() && pattern[at + 1] == ':') {
      const auto close = pattern.find(']', at + 2);
      if (close == std::string_view::npos) return malformed_set(pattern);
      if (close > at + 2 && pattern[close - 1] == ':') {
        const std::string_view name = pattern.substr(at + 2, close - 1 - (at + 2));
        if (!in_named_class(name, 0, false)) return malformed_set(pattern);
        parsed.items.push_back({SetItem::What::named, 0, 0, name});
        previous = 0;
        at = close + 1;
        continue;
      }
      // No ":]" after all: '[' is an ordinary byte.
    }
    if (c == '\\') {
      if (++at >= pattern.size()) return malformed_set(pattern);
      c = static_cast<unsigned char>(pattern[at]);
    }
    parsed.items.push_back({SetItem::What::byte, c, c, {}});
    previous = c;
    ++at;
  }
  parsed.end = at + 1;
  return parsed;
}

bool item_holds(const SetItem& item, unsigned char c, bool fold_case) {
  switch (item.what) {
    case SetItem::What::byte:
      return c == item.low;
    case SetItem::What::named:
      return *in_named_class(item.name, static_cast<char>(c), fold_case);
    case SetItem::What::range:
      break;
  }
  if (c >= item.low && c <= item.high) return true;
  const auto upper = static_cast<unsigned char>(base::to_upper(static_cast<char>(c)));
  return fold_case && upper >= item.low && upper <= item.high;
}

}  // namespace

bool has_wildcard(std::string_view text) {
  return text.find_first_of(special_bytes) != std::string_view::npos;
}

WildPattern::WildPattern(std::string_view pattern, WildRules rules) : rules_(rules) {
  steps_.reserve(pattern.size());
  compile(pattern);
  find_prefix();
}

void WildPattern::compile(std::string_view pattern) {
  std::size_t at = 0;
  while (at < pattern.size()) {
    const char c = pattern[at];
    if (c == '*') {
      at = compile_stars(pattern, at);
    } else if (c == '[') {
      at = compile_set(pattern, at + 1);
    } else if (c == '?') {
      steps_.push_back({Op::any});
      ++at;
    } else if (c == '\\') {
      // What is escaped is taken as it stands: folded text never equals an escaped capital, in Git too.
      if (at + 1 < pattern.size()) {
        steps_.push_back({Op::byte, static_cast<unsigned char>(pattern[at + 1])});
      } else {
        steps_.push_back({Op::never});
      }
      at += 2;
    } else {
      steps_.push_back({Op::byte, static_cast<unsigned char>(rules_.fold_case ? base::to_lower(c) : c)});
      ++at;
    }
  }
}

std::size_t WildPattern::compile_stars(std::string_view pattern, std::size_t at) {
  const std::size_t first = at;
  while (at < pattern.size() && pattern[at] == '*') ++at;
  if (!rules_.path_name) {
    steps_.push_back({Op::super_star});
    return at;
  }
  const bool doubled = at - first >= 2;
  const bool at_prefix_end = rules_.prefix_apart && first == pattern.find_first_of(special_bytes);
  const bool opens = first == 0 || pattern[first - 1] == '/' || at_prefix_end;
  const std::string_view rest = pattern.substr(at);
  if (doubled && opens && !rest.empty() && rest.front() == '/') {
    steps_.push_back({Op::directories});
    return at + 1;
  }
  const bool closes = rest.empty() || rest.substr(0, 2) == "\\/";
  steps_.push_back({doubled && opens && closes ? Op::super_star : Op::star});
  return at;
}

std::size_t WildPattern::compile_set(std::string_view pattern, std::size_t at) {
  const ParsedSet parsed = parse_set(pattern, at);
  if (parsed.malformed) {
    steps_.push_back({Op::never});
    return parsed.end;
  }
  ByteSet set;
  for (int c = 0; c < 256; ++c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool held = std::any_of(parsed.items.begin(), parsed.items.end(),
                                  [&](const SetItem& item) { return item_holds(item, byte, rules_.fold_case); });
    set[byte] = held != parsed.negated && !(rules_.path_name && byte == '/');
  }
  steps_.push_back({Op::set, static_cast<std::uint32_t>(sets_.size())});
  sets_.push_back(set);
  return parsed.end;
}

void WildPattern::find_prefix() {
  for (const Step& step : steps_) {
    if (step.op != Op::byte) break;
    prefix_.push_back(static_cast<char>(step.value));
  }
}

bool WildPattern::accepts(const Step& step, unsigned char byte) const {
  switch (step.op) {
    case Op::byte:
      return byte == step.value;
    case Op::any:
      return !(rules_.path_name && byte == '/');
    case Op::set:
      return sets_[step.value][byte];
    case Op::star:
      return byte != '/';
    case Op::super_star:
    case Op::directories:
      return true;
    case Op::never:
      return false;
  }
  return false;
}

// Makes `step` live, and every step behind it that can be reached without a byte.
void WildPattern::add(std::uint8_t* live, std::size_t step) const {
  while (live[step] != 1) {
    live[step] = 1;
    if (step == steps_.size()) return;
    const Op op = steps_[step].op;
    if (op != Op::star && op != Op::super_star && op != Op::directories) return;
    ++step;
  }
}

bool WildPattern::has_prefix(std::string_view text) const {
  if (text.size() < prefix_.size()) return false;
  if (!rules_.fold_case) return text.substr(0, prefix_.size()) == prefix_;
  return std::equal(prefix_.begin(), prefix_.end(), text.begin(),
                    [](char ours, char theirs) { return ours == base::to_lower(theirs); });
}

// Moves every live step over one byte. A `directories` step that has swallowed bytes may be left only after a '/': it
// is put into `next` as 2, which `add` (a fresh arrival, that may be left at once) turns into 1. False: nothing lives.
bool WildPattern::advance(const std::uint8_t* live, std::uint8_t* next, unsigned char byte) const {
  std::memset(next, 0, steps_.size() + 1);
  bool any_live = false;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (live[step] == 0 || !accepts(steps_[step], byte)) continue;
    any_live = true;
    switch (steps_[step].op) {
      case Op::star:
      case Op::super_star:
        add(next, step);
        break;
      case Op::directories:
        if (next[step] == 0) next[step] = 2;
        if (byte == '/') add(next, step + 1);
        break;
      default:
        add(next, step + 1);
    }
  }
  return any_live;
}

bool WildPattern::matches(std::string_view text) const {
  if (!has_prefix(text)) return false;  // decides most comparisons
  const std::size_t states = steps_.size() + 1;
  std::array<std::uint8_t, 256> small{};
  std::vector<std::uint8_t> large(2 * states > small.size() ? 2 * states : 0);
  std::uint8_t* live = large.empty() ? small.data() : large.data();
  std::uint8_t* next = live + states;
  add(live, prefix_.size());
  for (const char c : text.substr(prefix_.size())) {
    const char folded = rules_.fold_case ? base::to_lower(c) : c;
    if (!advance(live, next, static_cast<unsigned char>(folded))) return false;
    std::swap(live, next);
  }
  return live[steps_.size()] != 0;
}

bool wildmatch(std::string_view pattern, std::string_view text, WildRules rules) {
  return WildPattern(pattern, rules).matches(text);
}

}  // namespace pfetch::object
