#include "object/path_rules.h"

#include <sys/stat.h>

#include "object/wildmatch.h"

namespace pfetch::object {
namespace {

constexpr bool fold = true;

bool starts_with_folded(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && same_text(text.substr(0, prefix.size()), prefix, fold);
}

// NTFS drops dots and spaces at the end of a name, and ':' begins the name of a stream of the same file.
bool ends_for_ntfs(std::string_view rest, std::string_view also_ends) {
  const std::size_t at = rest.find_first_not_of(". ");
  return at == std::string_view::npos || rest[at] == ':' || also_ends.find(rest[at]) != std::string_view::npos;
}

// `text` begins where a component begins for NTFS, and may go on behind it.
bool is_ntfs_dot_git(std::string_view text) {
  for (const std::string_view spelling : {".git", "git~1"}) {
    if (starts_with_folded(text, spelling) && ends_for_ntfs(text.substr(spelling.size()), "\\/")) return true;
  }
  return false;
}

// The last resort of NTFS for short names: up to six bytes, some of them a hash, then ~ and a number, eight in all.
bool is_hashed_short_name(std::string_view text, std::string_view hashed) {
  constexpr std::size_t short_name_size = 8;
  if (text.size() < short_name_size) return false;
  const std::string_view name = text.substr(0, short_name_size);
  const std::size_t tilde = name.find('~');
  if (tilde == std::string_view::npos || tilde > hashed.size()) return false;
  if (!same_text(name.substr(0, tilde), hashed.substr(0, tilde), fold)) return false;
  const std::string_view number = name.substr(tilde + 1);
  return !number.empty() && number[0] != '0' && number.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_ntfs_dot_gitmodules(std::string_view text) {
  constexpr std::string_view plain = ".gitmodules";
  constexpr std::string_view shortened = "gitmod~";  // then 1 to 4
  constexpr std::string_view hashed = "gi7eba";
  if (starts_with_folded(text, plain)) return ends_for_ntfs(text.substr(plain.size()), "");
  if (starts_with_folded(text, shortened) && text.size() > shortened.size() && text[shortened.size()] >= '1' &&
      text[shortened.size()] <= '4') {
    return ends_for_ntfs(text.substr(shortened.size() + 1), "");
  }
  return is_hashed_short_name(text, hashed) && ends_for_ntfs(text.substr(8), "");
}

// Takes one code point off `text`. 0 at its end, and for what is not UTF-8: HFS+ would write such bytes in another way,
// so taking them for the end errs on the side of refusing.
char32_t take_code_point(std::string_view& text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (size == 0 || text.size() < size) return 0;
  char32_t value = size == 1 ? lead : lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    value = (value << 6) | (next & 0x3f);
  }
  const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  const bool not_a_character = (value >= 0xd800 && value < 0xe000) || value > 0x10ffff || (value & 0xfffe) == 0xfffe;
  if (overlong || not_a_character) return 0;
  text.remove_prefix(size);
  return value;
}

bool hfs_ignores(char32_t c) {
  return (c >= 0x200c && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x206a && c <= 0x206f) || c == 0xfeff;
}

char32_t take_hfs_code_point(std::string_view& text) {
  char32_t c = take_code_point(text);
  while (hfs_ignores(c)) c = take_code_point(text);
  return c;
}

bool is_same_for_hfs(std::string_view component, std::string_view lower_case_ascii) {
  for (const char wanted : lower_case_ascii) {
    const char32_t c = take_hfs_code_point(component);
    const char32_t lower = c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (lower != static_cast<unsigned char>(wanted)) return false;
  }
  return take_hfs_code_point(component) == 0;
}

// `rest` is the text from the start of the component to the end of the path.
const char* refuse_component(std::string_view component, std::string_view rest, bool symlink, PathRules rules) {
  constexpr const char* dot_git = "it names the directory .git";
  constexpr const char* dot_gitmodules = "a symbolic link must not be called .gitmodules";
  if (component.empty()) return "a component of the name is empty";
  if (component == "." || component == "..") return "'.' and '..' are no names";
  if (component.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  if (same_text(component, ".git", fold)) return dot_git;
  if (symlink && same_text(component, ".gitmodules", fold)) return dot_gitmodules;
  if (rules.protect_hfs) {
    if (is_same_for_hfs(component, ".git")) return "it names the directory .git on HFS+ (core.protectHFS)";
    if (symlink && is_same_for_hfs(component, ".gitmodules")) return dot_gitmodules;
  }
  if (rules.protect_ntfs) {
    // A backslash separates components for NTFS, and only there.
    for (std::size_t at = 0;;) {
      if (is_ntfs_dot_git(component.substr(at))) return "it names the directory .git on NTFS (core.protectNTFS)";
      if (symlink && is_ntfs_dot_gitmodules(rest.substr(at))) return dot_gitmodules;
      at = component.find('\\', at);
      if (at == std::string_view::npos) break;
      ++at;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> refuse_entry(std::string_view name, std::uint32_t mode, PathRules rules) {
  const bool symlink = S_ISLNK(mode);
  std::size_t begin = 0;
  for (;;) {
    const std::size_t slash = name.find('/', begin);
    const std::size_t end = slash == std::string_view::npos ? name.size() : slash;
    if (const char* reason = refuse_component(name.substr(begin, end - begin), name.substr(begin), symlink, rules)) {
      return reason;
    }
    if (slash == std::string_view::npos) return std::nullopt;
    begin = slash + 1;
  }
}

std::optional<std::string> refuse_path(std::string_view path, std::uint32_t mode, PathRules rules) {
  if (path.size() > path_bytes_max) return "the path is longer than " + std::to_string(path_bytes_max) + " bytes";
  return refuse_entry(path, mode, rules);
}

}  // namespace pfetch::object
