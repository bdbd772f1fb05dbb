#include "repo/paths.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/error.h"

namespace pfetch::repo {

namespace {

using CString = std::unique_ptr<char, decltype(&std::free)>;

}  // namespace

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string current_directory() {
  const CString here(::getcwd(nullptr, 0), &std::free);
  if (!here) throw_errno(errno, "unable to get current working directory", ".");
  return here.get();
}

std::string absolute_path(const std::string& path) {
  return path.starts_with('/') ? path : path_below(current_directory(), path);
}

std::string path_below(const std::string& base, const std::string& path) {
  if (path.starts_with('/')) return path;
  return base.ends_with('/') ? base + path : base + '/' + path;
}

std::optional<std::string> real_path(const std::string& path) {
  const CString resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved ? std::optional<std::string>(resolved.get()) : std::nullopt;
}

std::string real_path_or_same(const std::string& path) {
  return real_path(path).value_or(path);
}

std::string normalised_path(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, slash - at);
    at = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (absolute) {
      return {};
    } else {
      parts.push_back(part);
    }
  }
  std::string text;
  for (const std::string_view part : parts) {
    if (absolute || !text.empty()) text += '/';
    text += part;
  }
  if (text.empty()) return absolute ? "/" : ".";
  return text;
}

}  // namespace pfetch::repo
