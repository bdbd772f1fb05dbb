#include "command/pathspec_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "repo/quoting.h"

namespace pfetch::command {

namespace {

std::string pathspec_of_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = line.substr(0, line.find('\0'));
  if (!line.starts_with('"')) return std::string(line);
  std::string_view rest = line;
  if (auto unquoted = repo::take_c_quoted(rest)) return *unquoted;
  throw Error(ErrorCode::usage, fmt::format("line is badly quoted: {}", line));
}

}  // namespace

std::vector<std::string> split_pathspec_file(std::string_view content, bool nul_ends_item) {
  std::vector<std::string> items;
  while (!content.empty()) {
    const std::string_view item = content.substr(0, content.find(nul_ends_item ? '\0' : '\n'));
    content.remove_prefix(std::min(item.size() + 1, content.size()));
    items.push_back(nul_ends_item ? std::string(item) : pathspec_of_line(item));
  }
  return items;
}

}  // namespace pfetch::command
