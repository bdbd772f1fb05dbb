// Which tracked file stands at a path under another spelling, where a file system folds case or knows a character by
// several encodings.
//
// It is told by the inode, so nothing depends on how a file system folds. A hard link of a tracked file looks the same:
// ask only where core.ignoreCase says that the file system is of this kind.
//
// Belongs to one thread. Goes through the index when first asked. Errors: none; what cannot be looked at is not found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "checkout/directory_cursor.h"
#include "checkout/index.h"

namespace pfetch::checkout {

class OtherSpellings {
 public:
  // `top` is the descriptor of the worktree's top; both must outlive it.
  OtherSpellings(int top, const Index& index) : index_(index), cursor_(top) {}

  // The tracked file that stands at `path`, or where a directory above it should be; null: none that is there now.
  const IndexEntry* find(std::string_view path);

 private:
  const Index& index_;
  DirectoryCursor cursor_;
  std::optional<std::unordered_multimap<std::uint32_t, const IndexEntry*>> by_inode_;
};

}  // namespace pfetch::checkout
