#include "repo/alternates.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/fd.h"
#include "repo/paths.h"
#include "repo/quoting.h"

namespace pfetch::repo {

namespace {

constexpr int depth_max = 5;
constexpr std::size_t directories_max = 10000;
constexpr std::uint64_t file_size_max = 1 << 20;

class Collector {
 public:
  explicit Collector(const std::string& objects_dir) { seen_.insert(real_path_or_same(objects_dir)); }

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
    const std::string path = normalised_path(relative ? real_path_or_same(base) + "/" + entry : entry);
    if (path.empty()) {
      found_.warnings.push_back(fmt::format("unable to normalize alternate object path: {}", entry));
    } else if (!base::is_directory(path)) {
      found_.warnings.push_back(
          fmt::format("object directory {} does not exist; check .git/objects/info/alternates", path));
    } else if (seen_.insert(real_path_or_same(path)).second && found_.directories.size() < directories_max) {
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

}  // namespace pfetch::repo
