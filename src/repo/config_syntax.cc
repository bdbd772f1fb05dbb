#include "repo/config_syntax.h"

#include <fmt/format.h>
#include <pwd.h>

#include <cerrno>
#include <cinttypes>
#include <vector>

#include "base/ascii.h"
#include "base/error.h"

namespace pfetch::repo {

namespace {

bool is_key_character(int c) {
  return base::is_letter(c) || base::is_digit(c) || c == '-';
}
bool is_blank(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}
}  // namespace

ConfigParser::ConfigParser(std::string_view text, std::string_view file) : text_(text), file_(file) {
  if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
}

// One character, with CR LF taken as LF. The end reads as newlines, so that every statement ends in one.
int ConfigParser::take() {
  if (at_ >= text_.size()) {
    ended_ = true;
    ++line_;
    return '\n';
  }
  char c = text_[at_++];
  if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') c = text_[at_++];
  if (c == '\n') ++line_;
  return static_cast<unsigned char>(c);
}

void ConfigParser::fail(int line) const {
  throw Error(ErrorCode::config, fmt::format("bad config line {} in file {}", line, file_));
}

bool ConfigParser::next(ConfigStatement& statement) {
  bool comment = false;
  for (;;) {
    const int c = take();
    if (c == '\n') {
      if (ended_) return false;
      comment = false;
    } else if (comment || is_blank(c)) {
      continue;
    } else if (c == '#' || c == ';') {
      comment = true;
    } else {
      statement.begin = at_ - 1;
      statement.line = line_;
      statement.is_section = c == '[';
      if (statement.is_section) {
        take_section(statement);
      } else if (base::is_letter(c)) {
        --at_;
        take_variable(statement);
      } else {
        fail(line_);
      }
      statement.end = at_;
      return true;
    }
  }
}

void ConfigParser::take_section(ConfigStatement& statement) {
  std::string name;
  for (;;) {
    const int c = take();
    if (c == ']') break;
    if (c == '\n') fail(line_ - 1);
    if (is_blank(c)) {
      take_subsection(name);
      break;
    }
    if (!is_key_character(c) && c != '.') fail(line_);
    name += base::to_lower(c);
  }
  statement.name = name;
  statement.value.reset();
  section_ = std::move(name) + ".";
}

void ConfigParser::take_subsection(std::string& name) {
  int c = take();
  while (c != '\n' && is_blank(c)) c = take();
  if (c != '"') fail(c == '\n' ? line_ - 1 : line_);
  name += '.';
  while ((c = take()) != '"') {
    if (c == '\\') c = take();
    if (c == '\n') fail(line_ - 1);
    name += static_cast<char>(c);
  }
  if (take() != ']') fail(line_);
}

void ConfigParser::take_variable(ConfigStatement& statement) {
  statement.name = section_;
  int c = take();
  for (; is_key_character(c); c = take()) statement.name += base::to_lower(c);
  while (c == ' ' || c == '\t') c = take();
  statement.value.reset();
  if (c == '\n') return;
  if (c != '=') fail(line_);
  statement.value = take_value();
}

std::string ConfigParser::take_value() {
  std::string value;
  std::size_t keep = 0;  // bytes that trailing blanks must not eat
  bool quoted = false;
  bool comment = false;
  for (;;) {
    int c = take();
    if (c == '\n') {
      if (quoted) fail(line_ - 1);
      value.resize(keep);
      return value;
    }
    if (comment) continue;
    if (!quoted && is_blank(c)) {
      if (!value.empty()) value += static_cast<char>(c);
      continue;
    }
    if (!quoted && (c == ';' || c == '#')) {
      comment = true;
      continue;
    }
    keep = value.size();  // blanks count once anything follows, be it an empty pair of quotes
    if (c == '"') {
      quoted = !quoted;
      continue;
    }
    if (c == '\\') {
      c = take();
      if (c == '\n') continue;
      if (c == 't') {
        c = '\t';
      } else if (c == 'n') {
        c = '\n';
      } else if (c == 'b') {
        c = '\b';
      } else if (c != '\\' && c != '"') {
        fail(line_);
      }
    }
    value += static_cast<char>(c);
    keep = value.size();
  }
}

std::string canonical_config_key(std::string_view key) {
  const std::size_t last = key.rfind('.');
  if (last == std::string_view::npos || last == 0) {
    throw Error(ErrorCode::config, fmt::format("key does not contain a section: {}", key));
  }
  if (last + 1 == key.size()) {
    throw Error(ErrorCode::config, fmt::format("key does not contain variable name: {}", key));
  }
  std::string canonical(key);
  const std::size_t first = key.find('.');
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool in_subsection = i > first && i < last;
    if (in_subsection && key[i] == '\n') {
      throw Error(ErrorCode::config, fmt::format("invalid key (newline): {}", key));
    }
    if (in_subsection || i == first || i == last) continue;
    if (!is_key_character(key[i]) || (i == last + 1 && !base::is_letter(key[i]))) {
      throw Error(ErrorCode::config, fmt::format("invalid key: {}", key));
    }
    canonical[i] = base::to_lower(key[i]);
  }
  return canonical;
}

std::string config_section_header(std::string_view section) {
  const std::size_t dot = section.find('.');
  if (dot == std::string_view::npos) return fmt::format("[{}]\n", section);
  std::string subsection;
  for (const char c : section.substr(dot + 1)) {
    if (c == '"' || c == '\\') subsection += '\\';
    subsection += c;
  }
  return fmt::format("[{} \"{}\"]\n", section.substr(0, dot), subsection);
}

std::string quote_config_value(std::string_view value) {
  const bool blank_edge = !value.empty() && (is_blank(value.front()) || is_blank(value.back()));
  const bool quoted = blank_edge || value.find_first_of(";#\r") != std::string_view::npos;
  std::string text(quoted ? 1 : 0, '"');
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return quoted ? text + '"' : text;
}

std::optional<bool> config_value_as_bool(const std::optional<std::string>& value) {
  if (!value) return true;
  for (const char* word : {"true", "yes", "on"}) {
    if (base::same_ignoring_case(*value, word)) return true;
  }
  for (const char* word : {"", "false", "no", "off"}) {
    if (base::same_ignoring_case(*value, word)) return false;
  }
  std::int64_t number = 0;
  if (config_value_as_int(*value, number) != ConfigNumberError::none) return std::nullopt;
  return number != 0;
}

ConfigNumberError config_value_as_int(std::string_view value, std::int64_t& number) {
  const std::string text(value);
  char* end = nullptr;
  errno = 0;
  const std::intmax_t base = std::strtoimax(text.c_str(), &end, 0);
  if (errno == ERANGE) return ConfigNumberError::out_of_range;
  const std::string_view unit = std::string_view(text).substr(static_cast<std::size_t>(end - text.c_str()));
  if (end == text.c_str()) return ConfigNumberError::invalid_unit;
  std::int64_t factor = 1;
  if (base::same_ignoring_case(unit, "k")) {
    factor = 1024;
  } else if (base::same_ignoring_case(unit, "m")) {
    factor = 1024 * 1024;
  } else if (base::same_ignoring_case(unit, "g")) {
    factor = 1024 * 1024 * 1024;
  } else if (!unit.empty()) {
    return ConfigNumberError::invalid_unit;
  }
  if (__builtin_mul_overflow(static_cast<std::int64_t>(base), factor, &number)) return ConfigNumberError::out_of_range;
  return ConfigNumberError::none;
}

std::string config_value_as_path(std::string_view value, std::string_view home) {
  if (!value.starts_with('~')) return std::string(value);
  const std::string_view user = value.substr(1, value.find('/') - 1);
  const std::string_view rest = value.substr(std::min(value.size(), 1 + user.size()));
  std::string directory(home);
  if (!user.empty()) {
    directory.clear();
    std::vector<char> buffer(16384);
    struct passwd entry {};
    struct passwd* found = nullptr;
    if (::getpwnam_r(std::string(user).c_str(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
        found != nullptr) {
      directory = found->pw_dir;
    }
  }
  if (directory.empty()) throw Error(ErrorCode::config, fmt::format("failed to expand user dir in: '{}'", value));
  return directory.append(rest);
}

}  // namespace pfetch::repo
