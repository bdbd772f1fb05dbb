#include "checkout/other_spelling.h"

namespace pfetch::checkout {

const IndexEntry* OtherSpellings::find(std::string_view path) {
  const auto stands = cursor_.standing_at(path);
  if (!stands) return nullptr;
  if (!by_inode_) {
    by_inode_.emplace();
    for (const IndexEntry& entry : index_.entries) {
      if (entry.stage == 0) by_inode_->emplace(entry.stat.ino, &entry);
    }
  }
  const auto [first, last] = by_inode_->equal_range(index_stat(*stands).ino);
  for (auto at = first; at != last; ++at) {
    // Inodes are used again: is it still that file's?
    const auto now = cursor_.standing_at(at->second->path);
    if (now && now->st_ino == stands->st_ino && now->st_dev == stands->st_dev) return at->second;
  }
  return nullptr;
}

}  // namespace pfetch::checkout
