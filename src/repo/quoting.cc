#include "repo/quoting.h"

namespace pfetch::repo {

namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// The character that `\c` stands for; 0 when there is none.
char c_escape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '"':
      return c;
    default:
      return 0;
  }
}

}  // namespace

std::optional<std::string> take_c_quoted(std::string_view& text) {
  if (text.empty() || text[0] != '"') return std::nullopt;
  std::string word;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      text.remove_prefix(at + 1);
      return word;
    }
    if (c != '\\') {
      word += c;
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    if (const char plain = c_escape(text[at]); plain != 0) {
      word += plain;
    } else if (text[at] <= '3' && at + 2 < text.size() && is_octal(text[at]) && is_octal(text[at + 1]) &&
               is_octal(text[at + 2])) {
      word += static_cast<char>(((text[at] - '0') << 6) | ((text[at + 1] - '0') << 3) | (text[at + 2] - '0'));
      at += 2;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::string> take_shell_quoted(std::string_view& text) {
  if (text.empty() || text[0] != '\'') return std::nullopt;
  std::string word;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '\'') {
      word += text[at];
      continue;
    }
    // A closed quote goes on only over an escaped ' or ! and a quote that opens again.
    if (at + 3 < text.size() && text[at + 1] == '\\' && (text[at + 2] == '\'' || text[at + 2] == '!') &&
        text[at + 3] == '\'') {
      word += text[at + 2];
      at += 3;
      continue;
    }
    text.remove_prefix(at + 1);
    return word;
  }
  return std::nullopt;
}

std::string shown_path(std::string_view path, bool quotes_high_bytes) {
  constexpr std::string_view controls = "\a\b\t\n\v\f\r";
  constexpr std::string_view letters = "abtnvfr";
  std::string quoted;
  bool is_special = false;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t control = controls.find(c);
    if (c == '"' || c == '\\') {
      quoted.append(1, '\\').append(1, c);
    } else if (control != std::string_view::npos) {
      quoted.append(1, '\\').append(1, letters[control]);
    } else if (byte < ' ' || byte == 0x7f || (byte >= 0x80 && quotes_high_bytes)) {
      for (const int shift : {6, 3, 0}) {
        if (shift == 6) quoted += '\\';
        quoted += static_cast<char>('0' + ((byte >> shift) & 7));
      }
    } else {
      quoted += c;
      continue;
    }
    is_special = true;
  }
  return is_special ? "\"" + quoted + "\"" : std::string(path);
}

}  // namespace pfetch::repo
