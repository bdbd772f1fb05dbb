// Opens the directories of paths one after the other, each from its parent and never through a symlink. Those above the
// last path stay open, so that paths in order cost one open(2) for each directory.
//
// Belongs to one thread. Holds at most `kept_max` + 1 descriptors.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"

namespace pfetch::checkout {

// The content of a regular file in an open directory; nullopt when there is none, it is a link, or it has more bytes
// than that. Any thread.
std::optional<std::string> read_regular_file(int directory, const std::string& leaf, std::uint64_t bytes_max);

class DirectoryCursor {
 public:
  // `top`: the descriptor of the worktree's top; it must outlive the cursor.
  explicit DirectoryCursor(int top) : top_(top) {}

  // The directory that the path is in; -1 when it cannot be reached, and `error` says why: ENOENT, ENOTDIR or ELOOP
  // when `missing`, a directory above the path, is not there or is no directory.
  struct Place {
    int directory = -1;
    std::string leaf;  // the path's last component
    int error = 0;
    std::string_view missing{};  // into the path
  };
  Place place_of(std::string_view path);

  // lstat(2) of what stands at the path, or where a directory above it should be; nullopt when there is nothing, or it
  // cannot be looked at.
  std::optional<struct stat> standing_at(std::string_view path);

 private:
  static constexpr std::size_t kept_max = 12;
  struct Level {
    std::size_t path_size;  // of its path in path_
    base::UniqueFd fd;
  };

  int top_;
  std::string path_;           // of the directory that is open, without a slash at the end
  std::vector<Level> levels_;  // the directories on its way that are kept open; path sizes ascend
  std::string unreachable_;    // a directory that could not be opened, the last one
  int unreachable_error_ = 0;
};

}  // namespace pfetch::checkout
