#include "checkout/ignore.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checkout/directory_cursor.h"
#include "object/path_parts.h"

namespace pfetch::checkout {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Blanks at the end do not count, unless a backslash stands before them.
std::string_view without_final_blanks(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == ' ') {
      continue;
    }
    end = at + 1;
  }
  return line.substr(0, end);
}

}  // namespace

IgnoreFile::IgnoreFile(std::string text, bool casefold) : text_(std::move(text)) {
  std::string_view rest = text_;
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    parse_line(line, casefold);
  }
}

void IgnoreFile::parse_line(std::string_view line, bool casefold) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = line.substr(0, line.find('\0'));
  if (line.starts_with('#')) return;
  line = without_final_blanks(line);
  const bool taken_back = line.starts_with('!');
  if (taken_back) line.remove_prefix(1);
  const bool directories_only = line.ends_with('/');
  if (directories_only) line.remove_suffix(1);
  if (line.empty()) return;
  rules_.push_back({PathPattern(line, casefold), taken_back, directories_only});
}

IgnoreFile::Verdict IgnoreFile::judge(std::string_view path, bool is_directory) const {
  const std::string_view basename = object::leaf_part(path);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->directories_only && !is_directory) continue;
    if (rule->pattern.matches(path, basename)) return rule->taken_back ? Verdict::taken_back : Verdict::ignored;
  }
  return Verdict::silent;
}

IgnoreRules::IgnoreRules(const std::string& work_tree, const Sources& sources)
    : casefold_(sources.casefold), top_(base::open_file(work_tree, O_RDONLY | O_DIRECTORY)) {
  for (const std::string& path : sources.files) {
    std::string text;
    if (!path.empty() && base::read_file_if_there(path, text, ignore_file_bytes_max)) {
      shared_.push_back(std::make_unique<const IgnoreFile>(std::move(text), casefold_));
    }
  }
  Level top;
  top.exists = true;
  read_level("", top);
  levels_.emplace("", std::move(top));
}

bool IgnoreRules::is_ignored(std::string_view path, bool is_directory) {
  const Level& level = level_of(object::directory_part(path));
  return level.ignored || judge(level, path, is_directory);
}

const IgnoreRules::Level& IgnoreRules::level_of(std::string_view directory) {
  std::string name(directory);
  if (const auto known = levels_.find(name); known != levels_.end()) return known->second;
  const Level& above = level_of(object::directory_part(directory));
  Level level;
  level.above = &above;
  level.path_bytes = directory.size() + 1;
  level.ignored = above.ignored || judge(above, directory, true);
  if (above.exists && !level.ignored) read_level(name, level);
  return levels_.emplace(std::move(name), std::move(level)).first->second;
}

void IgnoreRules::read_level(const std::string& directory, Level& level) const {
  DirectoryCursor cursor(top_.get());
  const DirectoryCursor::Place place = cursor.place_of(directory.empty() ? ".gitignore" : directory + "/.gitignore");
  if (place.directory < 0) return;
  level.exists = true;
  auto text = read_regular_file(place.directory, place.leaf, ignore_file_bytes_max);
  if (!text) return;
  auto file = std::make_unique<const IgnoreFile>(*std::move(text), casefold_);
  if (!file->empty()) level.file = std::move(file);
}

bool IgnoreRules::judge(const Level& level, std::string_view path, bool is_directory) const {
  using Verdict = IgnoreFile::Verdict;
  for (const Level* at = &level; at != nullptr; at = at->above) {
    if (at->file == nullptr) continue;
    const Verdict verdict = at->file->judge(path.substr(at->path_bytes), is_directory);
    if (verdict != Verdict::silent) return verdict == Verdict::ignored;
  }
  for (auto file = shared_.rbegin(); file != shared_.rend(); ++file) {
    const Verdict verdict = (*file)->judge(path, is_directory);
    if (verdict != Verdict::silent) return verdict == Verdict::ignored;
  }
  return false;
}

}  // namespace pfetch::checkout
