// The matcher that walks the text once agrees with one that tries every way (on inputs small enough for that).
// Input: one byte of flags, the pattern, a newline, the text.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "object/wildmatch.h"

namespace {

using pfetch::object::WildRules;

// Counts down so that hostile patterns end; the answer is then not looked at.
struct Budget {
  int steps = 2000;
  bool spent() { return --steps < 0; }
};

// Stars by trying every way; everything between them is asked of the real matcher one byte at a time, so that this
// checks how states are combined (stars, `**`, order), not what a class means.
bool plain_match(std::string_view pattern, std::size_t at, std::string_view text, const WildRules& rules,
                 Budget& budget) {
  if (budget.spent()) return false;
  if (at == pattern.size()) return text.empty();
  if (pattern[at] == '*') {
    std::size_t after = at;
    while (after < pattern.size() && pattern[after] == '*') ++after;
    const bool opens = at == 0 || pattern[at - 1] == '/';
    const bool at_slash = after < pattern.size() && pattern[after] == '/';
    const bool escaped_slash = pattern.substr(after, 2) == "\\/";
    const bool closes = after == pattern.size() || at_slash || escaped_slash;
    const bool crosses = !rules.path_name || (after - at >= 2 && opens && closes);
    if (rules.path_name && crosses && at_slash && plain_match(pattern, after + 1, text, rules, budget)) return true;
    for (std::size_t taken = 0;; ++taken) {
      if (plain_match(pattern, after, text.substr(taken), rules, budget)) return true;
      if (taken == text.size() || (!crosses && text[taken] == '/')) return false;
    }
  }
  if (text.empty()) return false;
  // One element: an escape, '?', a plain byte. Patterns with classes are not given to this function.
  const std::size_t size = pattern[at] == '\\' ? 2 : 1;
  if (!pfetch::object::wildmatch(pattern.substr(at, size), text.substr(0, 1), rules)) return false;
  return plain_match(pattern, std::min(at + size, pattern.size()), text.substr(1), rules, budget);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  WildRules rules;
  rules.path_name = (data[0] & 1) != 0;
  rules.fold_case = (data[0] & 2) != 0;
  rules.prefix_apart = (data[0] & 4) != 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto newline = input.find('\n');
  if (newline == std::string_view::npos) return 0;
  const std::string_view pattern = input.substr(0, newline);
  const std::string_view text = input.substr(newline + 1);
  const bool ours = pfetch::object::wildmatch(pattern, text, rules);
  const bool comparable =
      pattern.find('[') == std::string_view::npos && !rules.prefix_apart && pattern.size() < 40 && text.size() < 40;
  if (!comparable) return 0;
  Budget budget;
  const bool plain = plain_match(pattern, 0, text, rules, budget);
  if (!budget.spent() && plain != ours) std::abort();
  return 0;
}
