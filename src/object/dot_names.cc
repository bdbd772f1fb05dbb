#include "object/dot_names.h"

#include <cstdint>

#include "base/ascii.h"

namespace pfetch::object {

namespace {

// Whether NTFS would drop all of `rest`: dots and spaces, up to the end or to the name of a stream.
bool is_dropped_by_ntfs(std::string_view rest, std::string_view also_ends = "") {
  const std::size_t at = rest.find_first_not_of(" .");
  return at == std::string_view::npos || rest[at] == ':' || also_ends.find(rest[at]) != std::string_view::npos;
}

// Takes one code point off `text`; 0 at the end and for bytes that are not UTF-8.
char32_t take_code_point(std::string_view& text) {
  if (text.empty()) return 0;
  const auto first = static_cast<std::uint8_t>(text[0]);
  std::size_t size = 1;
  char32_t value = first;
  char32_t least = 0;
  if (first >= 0xf0 && first < 0xf8) {
    size = 4, value = first & 0x07, least = 0x10000;
  } else if (first >= 0xe0 && first < 0xf0) {
    size = 3, value = first & 0x0f, least = 0x800;
  } else if (first >= 0xc0 && first < 0xe0) {
    size = 2, value = first & 0x1f, least = 0x80;
  } else if (first >= 0x80) {
    return 0;
  }
  if (text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<std::uint8_t>(text[i]);
    if (next >> 6 != 2) return 0;
    value = value << 6 | (next & 0x3fU);
  }
  const bool no_character =
      value > 0x10ffff || (value >= 0xd800 && value < 0xe000) || value == 0xfffe || value == 0xffff;
  if (value < least || no_character) return 0;
  text.remove_prefix(size);
  return value;
}

bool is_ignored_by_hfs(char32_t c) {
  return (c >= 0x200c && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x206a && c <= 0x206f) || c == 0xfeff;
}

char32_t take_hfs_code_point(std::string_view& text) {
  char32_t c = take_code_point(text);
  while (is_ignored_by_hfs(c)) c = take_code_point(text);
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

// Eight characters: some of the six of `hashed_name`, '~', a number that does not begin with 0.
bool is_hashed_short_name(std::string_view name, std::string_view hashed_name) {
  constexpr std::size_t size = 8;
  if (name.size() < size) return false;
  const std::string_view head = name.substr(0, size);
  const std::size_t tilde = head.find('~');
  if (tilde > hashed_name.size() || tilde + 1 == size) return false;  // npos is larger too
  const std::string_view number = head.substr(tilde + 1);
  return base::starts_ignoring_case(head.substr(0, tilde), hashed_name.substr(0, tilde)) && number.front() != '0' &&
         number.find_first_not_of("0123456789") == std::string_view::npos && is_dropped_by_ntfs(name.substr(size));
}

}  // namespace

bool is_hfs_dot_name(std::string_view name, std::string_view word) {
  if (take_hfs_code_point(name) != '.') return false;
  for (const char c : word) {
    if (take_hfs_code_point(name) != static_cast<unsigned char>(c)) return false;
  }
  return take_hfs_code_point(name) == 0;
}

bool is_ntfs_dot_name(std::string_view name, const DotName& dot_name) {
  if (!name.empty() && name[0] == '.' && base::starts_ignoring_case(name.substr(1), dot_name.word)) {
    return is_dropped_by_ntfs(name.substr(1 + dot_name.word.size()));
  }
  constexpr std::size_t kept = 6;  // characters of the long name in a short one
  if (name.size() >= kept + 2 && base::starts_ignoring_case(name, dot_name.word.substr(0, kept)) && name[kept] == '~' &&
      name[kept + 1] >= '1' && name[kept + 1] <= '4') {
    return is_dropped_by_ntfs(name.substr(kept + 2));
  }
  return is_hashed_short_name(name, dot_name.hashed_name);
}

bool is_ntfs_dot_git(std::string_view name) {
  for (const std::string_view spelling : {".git", "git~1"}) {
    if (base::starts_ignoring_case(name, spelling)) return is_dropped_by_ntfs(name.substr(spelling.size()), "\\/");
  }
  return false;
}

}  // namespace pfetch::object
