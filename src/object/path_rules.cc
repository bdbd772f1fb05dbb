#include "object/path_rules.h"

#include <sys/stat.h>

#include "base/ascii.h"
#include "object/dot_names.h"

namespace pfetch::object {
namespace {

// `rest` is the text from the start of the component to the end of the path.
const char* refuse_component(std::string_view component, std::string_view rest, bool symlink, PathRules rules) {
  constexpr const char* dot_git = "it names the directory .git";
  constexpr const char* symlinked_modules = "a symbolic link must not be called .gitmodules";
  if (component.empty()) return "a component of the name is empty";
  if (component == "." || component == "..") return "'.' and '..' are no names";
  if (component.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  if (base::same_ignoring_case(component, ".git")) return dot_git;
  if (symlink && base::same_ignoring_case(component, ".gitmodules")) return symlinked_modules;
  if (rules.protect_hfs) {
    if (is_hfs_dot_name(component, "git")) return "it names the directory .git on HFS+ (core.protectHFS)";
    if (symlink && is_hfs_dot_name(component, dot_gitmodules.word)) return symlinked_modules;
  }
  if (rules.protect_ntfs) {
    // A backslash separates components for NTFS, and only there.
    for (std::size_t at = 0;;) {
      if (is_ntfs_dot_git(component.substr(at))) return "it names the directory .git on NTFS (core.protectNTFS)";
      if (symlink && is_ntfs_dot_name(rest.substr(at), dot_gitmodules)) return symlinked_modules;
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
