// What became of the files of an index: which are as their entries say, and which are changed, or gone.
//
// Stat data decide where they can (checkout/racy), the content where they cannot (checkout/content_check). Entries of
// files that turn out to be unchanged get the present stat data, so that the next look is cheap; those of changed files
// that stat data would pass for clean are smudged. No symlink is followed on the way to a file.
//
// `examine` may run in many threads, each with its own range of entries.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "checkout/content_check.h"
#include "checkout/index.h"
#include "checkout/racy.h"

namespace pfetch::checkout {

enum class FileState : std::uint8_t {
  unknown,      // in conflict, or not examined
  clean,        // as the entry says
  modified,     // another content or mode
  other_type,   // a file where a link was, and so on
  directory,    // a directory where a file or link was
  unreachable,  // a file or link where a directory above it was
  missing,      // nothing is there
};

class WorktreeState {
 public:
  // All must outlive it. `top`: the descriptor of the top of the worktree.
  WorktreeState(int top, Index& index, const StatRules& rules, ContentCheck& contents);

  // Entries [first, last). Neighbours are best examined together: they share directories. Those that the user has said
  // to take for unchanged (assume-valid, skip-worktree) are.
  void examine(std::size_t first, std::size_t last);
  // One entry, whatever its flags say.
  FileState look_at(std::size_t entry);

  FileState of(std::size_t entry) const { return states_[entry]; }
  FileState of(const IndexEntry& entry) const {
    return states_[static_cast<std::size_t>(&entry - index_.entries.data())];
  }
  // Whether stat data of any entry changed, so that the index is worth writing.
  bool refreshed() const { return refreshed_.load(); }

 private:
  FileState state_of(IndexEntry& entry, class DirectoryCursor& cursor);

  const int top_;
  Index& index_;
  const StatRules rules_;
  ContentCheck& contents_;
  std::vector<FileState> states_;
  std::atomic<bool> refreshed_{false};
};

}  // namespace pfetch::checkout
