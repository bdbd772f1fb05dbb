#include "checkout/attribute_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "repo/quoting.h"

namespace pfetch::checkout {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view macro_prefix = "[attr]";

bool is_name_byte(char c) {
  return base::is_letter(c) || base::is_digit(c) || c == '-' || c == '.' || c == '_';
}

bool is_attribute_name(std::string_view name) {
  return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), is_name_byte);
}

// The next word of `text`, taken off it together with the blanks around it.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::size_t end = std::min(text.find_first_of(blanks), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<NamedState> parse_state(std::string_view word) {
  using Kind = AttributeState::Kind;
  NamedState named;
  const std::size_t equals = word.find('=');
  std::string_view name = word.substr(0, equals);
  if (!name.empty() && (name[0] == '-' || name[0] == '!')) {
    named.state.kind = name[0] == '-' ? Kind::unset : Kind::unspecified;
    name.remove_prefix(1);
  } else if (equals != std::string_view::npos) {
    named.state.kind = Kind::value;
    named.state.value = word.substr(equals + 1);
  } else {
    named.state.kind = Kind::set;
  }
  if (!is_attribute_name(name)) return std::nullopt;
  named.name = name;
  return named;
}

class Parser {
 public:
  Parser(std::string origin, bool macros_allowed, std::vector<std::string>* warnings)
      : origin_(std::move(origin)), macros_allowed_(macros_allowed), warnings_(warnings) {}

  void parse_line(std::string_view line, std::size_t number) {
    const std::size_t begin = line.find_first_not_of(blanks);
    if (begin == std::string_view::npos || line[begin] == '#') return;
    if (line.size() >= attribute_line_bytes_max) {
      warn(number, fmt::format("a line of {} bytes or more is ignored", attribute_line_bytes_max));
      return;
    }
    std::string_view rest = line.substr(begin);
    std::optional<std::string> quoted = repo::take_c_quoted(rest);
    std::string pattern = quoted ? *std::move(quoted) : std::string(take_word(rest));
    if (pattern.size() > macro_prefix.size() && pattern.compare(0, macro_prefix.size(), macro_prefix) == 0) {
      parse_macro(std::string_view(pattern).substr(macro_prefix.size()), rest, number);
    } else {
      parse_rule(std::move(pattern), rest, number);
    }
  }

  AttributeFile take() { return std::move(file_); }

 private:
  void parse_macro(std::string_view name, std::string_view rest, std::size_t number) {
    if (!macros_allowed_) {
      warn(number, fmt::format("the macro '{}' is ignored: macros are defined in the top directory only", name));
      return;
    }
    name = take_word(name);  // a quoted form may hold blanks
    if (!is_attribute_name(name)) {
      warn(number, fmt::format("'{}' is not a valid attribute name", name));
      return;
    }
    AttributeMacro macro{std::string(name), {}};
    if (parse_states(rest, number, macro.states)) file_.macros.push_back(std::move(macro));
  }

  void parse_rule(std::string pattern, std::string_view rest, std::size_t number) {
    if (!pattern.empty() && pattern[0] == '!') {
      warn(number, "negative patterns are ignored in git attributes; use '\\!' for a literal leading '!'");
      return;
    }
    AttributeRule rule;
    if (!pattern.empty() && pattern.back() == '/') {
      rule.directories_only = true;
      pattern.pop_back();
    }
    rule.pattern = std::move(pattern);
    if (parse_states(rest, number, rule.states)) file_.rules.push_back(std::move(rule));
  }

  // One bad name spoils the whole line, as in git.
  bool parse_states(std::string_view rest, std::size_t number, std::vector<NamedState>& states) {
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      std::optional<NamedState> named = parse_state(word);
      if (!named) {
        warn(number, fmt::format("'{}' is not a valid attribute name", word));
        return false;
      }
      states.push_back(*std::move(named));
    }
    return true;
  }

  void warn(std::size_t number, std::string_view text) {
    // A file of a hundred megabytes of nonsense must not become a warning for each of its lines.
    constexpr std::size_t warnings_max = 20;
    if (warnings_ == nullptr || warned_ >= warnings_max) return;
    ++warned_;
    warnings_->push_back(fmt::format("{}:{}: {}", origin_, number, text));
  }

  std::string origin_;
  bool macros_allowed_;
  std::vector<std::string>* warnings_;
  std::size_t warned_ = 0;
  AttributeFile file_;
};

}  // namespace

std::shared_ptr<const AttributeFile> parse_attribute_file(std::string_view text, std::string origin,
                                                          bool macros_allowed, std::vector<std::string>* warnings) {
  if (text.size() >= attribute_file_bytes_max) {
    if (warnings != nullptr)
      warnings->push_back(fmt::format("overly large gitattributes file '{}' is ignored", origin));
    return std::make_shared<const AttributeFile>();
  }
  constexpr std::string_view utf8_byte_order_mark = "\xef\xbb\xbf";
  if (text.substr(0, utf8_byte_order_mark.size()) == utf8_byte_order_mark) {
    text.remove_prefix(utf8_byte_order_mark.size());
  }
  text = text.substr(0, text.find('\0'));  // git reads it as a C string
  Parser parser(std::move(origin), macros_allowed, warnings);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    parser.parse_line(text.substr(0, end), number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::make_shared<const AttributeFile>(parser.take());
}

}  // namespace pfetch::checkout
