#include "repo/alternates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "base/error.h"
#include "base/fd.h"
#include "repo/quoting.h"

namespace pfetch::repo {

namespace {

constexpr int depth_max = 5;
constexpr std::size_t directories_max = 10000;
constexpr std::uint64_t file_size_max = 1 << 20;

std::string real_path_or(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string text(resolved);
  std::free(resolved);
  return text;
}

class Collector {
 public:
  explicit Collector(const std::string& objects_dir) { seen_.insert(real_path_or(objects_dir)); }

  // `base` is what relative entries start from; empty: the current directory.
  void add_list(std::string_view text, char separator, const std::string& base, int depth) {
    const auto entries = split_alternates(text, separator);
    if (entries.empty()) return;
    if (depth > depth_max) {
      found_.warnings.push_back(fmt::format("{}: ignoring alternate object stores, nesting too deep", base));
      return;
    }
    for (const std::string& entry : entries) add(entry, base, depth);
  }

  void add_file_of(const std::string& objects_dir, int depth) {
    std::string text;
    try {
      if (!base::read_file_if_there(objects_dir + "/info/alternates", text, file_size_max)) return;
    } catch (const Error& error) {
      found_.warnings.push_back(error.message());
      return;
    }
    add_list(text, '\n', objects_dir, depth);
  }

  Alternates take() { return std::move(found_); }

 private:
  void add(const std::string& entry, const std::string& base, int depth) {
    const bool relative = !entry.starts_with('/') && !base.empty();
    const std::string path = normalised_path(relative ? real_path_or(base) + "/" + entry : entry);
    if (path.empty()) {
      found_.warnings.push_back(fmt::format("unable to normalize alternate object path: {}", entry));
    } else if (!base::is_directory(path)) {
      found_.warnings.push_back(
          fmt::format("object directory {} does not exist; check .git/objects/info/alternates", path));
    } else if (seen_.insert(real_path_or(path)).second && found_.directories.size() < directories_max) {
      found_.directories.push_back(path);
      add_file_of(path, depth + 1);
    }
  }

  Alternates found_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Alternates alternate_object_directories(const std::string& objects_dir, const Environment& environment) {
  Collector collector(objects_dir);
  collector.add_list(environment.alternates, ':', {}, 0);
  collector.add_file_of(objects_dir, 0);
  return collector.take();
}

std::vector<std::string> split_alternates(std::string_view text, char separator) {
  std::vector<std::string> entries;
  while (!text.empty()) {
    if (auto quoted = take_c_quoted(text)) {
      if (!quoted->empty()) entries.push_back(std::move(*quoted));
      if (text.starts_with(separator)) text.remove_prefix(1);
      continue;
    }
    const std::string_view entry = text.substr(0, text.find(separator));
    if (!entry.empty() && entry[0] != '#') entries.emplace_back(entry);
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
  }
  return entries;
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
