#include "object/ref_name.h"

#include <algorithm>

namespace pfetch::object {

namespace {

// Bytes that may stand in no component. '*' is judged by the caller, '@' and '.' by their neighbours.
bool is_forbidden(unsigned char byte) {
  if (byte <= ' ' || byte == 0x7f) return true;
  return byte == '~' || byte == '^' || byte == ':' || byte == '?' || byte == '[' || byte == '\\';
}

// `stars` counts the '*' seen in the whole name.
bool is_valid_component(std::string_view part, bool pattern, int& stars) {
  if (part.empty() || part.front() == '.' || part.ends_with(".lock")) return false;
  char previous = '\0';
  for (const char c : part) {
    if (is_forbidden(static_cast<unsigned char>(c))) return false;
    if (c == '.' && previous == '.') return false;
    if (c == '{' && previous == '@') return false;
    if (c == '*' && (!pattern || ++stars > 1)) return false;
    previous = c;
  }
  return true;
}

}  // namespace

bool is_valid_ref_name(std::string_view name, RefNameRules rules) {
  if (name.empty() || name.size() > ref_name_size_max || name == "@" || name.back() == '.') return false;
  int stars = 0;
  std::size_t components = 0;
  for (std::size_t start = 0;; ++components) {
    const auto slash = name.find('/', start);
    if (!is_valid_component(name.substr(start, slash - start), rules.pattern, stars)) return false;
    if (slash == std::string_view::npos) break;
    start = slash + 1;
  }
  return components > 0 || rules.one_level;
}

bool is_safe_ref_name(std::string_view name) {
  if (name.empty() || name.size() > ref_name_size_max || name.find('\0') != std::string_view::npos) return false;
  if (!name.starts_with("refs/")) {
    return std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
  }
  const std::string_view rest = name.substr(5);
  if (rest.empty() || rest.front() == '/' || rest.back() == '/') return false;
  int depth = 0;
  for (std::size_t start = 0;;) {
    const auto slash = rest.find('/', start);
    const std::string_view part = rest.substr(start, slash - start);
    if (part == "..") {
      if (--depth < 0) return false;
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
    if (slash == std::string_view::npos) break;
    start = slash + 1;
  }
  return depth > 0;
}

bool is_pseudo_ref_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; });
}

bool is_per_worktree_ref(std::string_view name) {
  return is_pseudo_ref_name(name) || name.starts_with("refs/bisect/") || name.starts_with("refs/worktree/") ||
         name.starts_with("refs/rewritten/");
}

std::string_view short_ref_name(std::string_view name) {
  for (const std::string_view prefix : {"refs/heads/", "refs/tags/", "refs/remotes/"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

std::array<std::string, ref_lookup_rules> ref_lookup_names(std::string_view name) {
  const std::string text(name);
  return {text,
          "refs/" + text,
          "refs/tags/" + text,
          "refs/heads/" + text,
          "refs/remotes/" + text,
          "refs/remotes/" + text + "/HEAD"};
}

std::size_t ref_lookup_rank(std::string_view abbreviated, std::string_view full) {
  if (!full.ends_with(abbreviated) && !full.ends_with("/HEAD")) return ref_lookup_rules;
  const auto names = ref_lookup_names(abbreviated);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), full) - names.begin());
}

}  // namespace pfetch::object
