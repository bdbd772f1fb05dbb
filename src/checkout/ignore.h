// Which untracked files of a worktree are ignored: gitignore(5).
//
// From weakest to strongest: the user's file (core.excludesFile), `info/exclude`, and the `.gitignore` of each
// directory from the top down to the path's own. Of two lines in a file the later wins. What is below an ignored
// directory is ignored, whatever the files there say. The `.gitignore` files are read from the worktree when they are
// first needed, never through a symbolic link; one that cannot be read, or is no regular file, counts as absent. A
// `.gitignore` that only the index has is not looked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "checkout/path_pattern.h"

namespace pfetch::checkout {

// Bytes. A larger file counts as absent.
inline constexpr std::uint64_t ignore_file_bytes_max = 100 * 1024 * 1024;

// One file, parsed. Immutable, any thread may ask. Parsing never fails.
class IgnoreFile {
 public:
  enum class Verdict : std::uint8_t { silent, ignored, taken_back };  // no line matches; a line; a line with '!'

  IgnoreFile(std::string text, bool casefold);
  IgnoreFile(const IgnoreFile&) = delete;
  IgnoreFile& operator=(const IgnoreFile&) = delete;

  bool empty() const { return rules_.empty(); }
  // `path` is relative to the directory that the file holds for.
  Verdict judge(std::string_view path, bool is_directory) const;

 private:
  struct Rule {
    PathPattern pattern;
    bool taken_back;
    bool directories_only;
  };

  void parse_line(std::string_view line, bool casefold);

  const std::string text_;  // the rules borrow from it
  std::vector<Rule> rules_;
};

// For one thread at a time; may be moved. What it has read it keeps, so it is made for one command.
class IgnoreRules {
 public:
  // What holds besides the files in the worktree.
  struct Sources {
    std::vector<std::string> files;  // paths, weakest first; those that are not there count as empty
    bool casefold = false;           // core.ignoreCase
  };

  // Errors: ErrorCode::io, ErrorCode::not_found when `work_tree` cannot be opened, or a file of the sources not read.
  IgnoreRules(const std::string& work_tree, const Sources& sources);

  // `path` is from the top of the worktree, without a '/' at its end; what leads there are taken for directories.
  bool is_ignored(std::string_view path, bool is_directory);

 private:
  struct Level {
    const Level* above = nullptr;  // null: the top
    std::size_t path_bytes = 0;    // of the directory, with its final '/'
    bool ignored = false;
    bool exists = false;
    std::unique_ptr<const IgnoreFile> file;  // null: none
  };

  const Level& level_of(std::string_view directory);
  bool judge(const Level& level, std::string_view path, bool is_directory) const;
  void read_level(const std::string& directory, Level& level) const;

  bool casefold_;
  base::UniqueFd top_;
  std::vector<std::unique_ptr<const IgnoreFile>> shared_;  // weakest first
  std::unordered_map<std::string, Level> levels_;          // by the directory's path
};

}  // namespace pfetch::checkout
