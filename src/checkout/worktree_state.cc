#include "checkout/worktree_state.h"

#include <fcntl.h>

#include <cerrno>

#include "base/error.h"
#include "checkout/directory_cursor.h"

namespace pfetch::checkout {

namespace {

bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

}  // namespace

WorktreeState::WorktreeState(int top, Index& index, const StatRules& rules, ContentCheck& contents)
    : top_(top), index_(index), rules_(rules), contents_(contents), states_(index.entries.size()) {}

void WorktreeState::examine(std::size_t first, std::size_t last) {
  DirectoryCursor cursor(top_);
  for (std::size_t i = first; i < last; ++i) {
    IndexEntry& entry = index_.entries[i];
    if (entry.stage != 0) continue;
    states_[i] = entry.skip_worktree || entry.assume_valid ? FileState::clean : state_of(entry, cursor);
  }
}

FileState WorktreeState::look_at(std::size_t entry) {
  DirectoryCursor cursor(top_);
  return states_[entry] = state_of(index_.entries[entry], cursor);
}

FileState WorktreeState::state_of(IndexEntry& entry, DirectoryCursor& cursor) {
  const DirectoryCursor::Place place = cursor.place_of(entry.path);
  if (place.directory < 0) {
    if (is_absence(place.error)) return place.error == ENOENT ? FileState::missing : FileState::unreachable;
    throw_errno(place.error, "could not open directory", std::string(place.missing));
  }
  struct stat found {};
  if (::fstatat(place.directory, place.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (is_absence(errno)) return FileState::missing;
    throw_errno(errno, "could not stat", std::string(entry.path));
  }
  switch (compare_stat(entry, found, index_.file, rules_)) {
    case StatVerdict::clean:
      return FileState::clean;
    case StatVerdict::changed:
      if (is_same_type(entry, found, rules_)) return FileState::modified;
      return S_ISDIR(found.st_mode) ? FileState::directory : FileState::other_type;
    case StatVerdict::look:
      break;
  }
  const bool same = contents_.same(entry, place.directory, place.leaf, found);
  const IndexStat stat = index_stat(found);
  if (S_ISDIR(found.st_mode)) return same ? FileState::clean : FileState::modified;
  if (!same) {
    // Git may look at the size and at seconds alone, and the index will be younger than the file.
    if (entry.stat.size == stat.size && entry.stat.mtime_s == stat.mtime_s) smudge(entry);
    return FileState::modified;
  }
  if (entry.stat != stat) {
    entry.stat = stat;
    refreshed_.store(true, std::memory_order_relaxed);
  }
  return FileState::clean;
}

}  // namespace pfetch::checkout
