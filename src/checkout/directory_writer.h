// Makes the directories of the worktree and opens them, never through a symlink.
//
// Every directory is reached from the descriptor of its parent, component by component, with O_NOFOLLOW. Descriptors
// are kept in a bounded cache; one that is in use stays open when the cache lets go of it. Thread safe.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/fd.h"
#include "checkout/plan.h"

namespace pfetch::checkout {

class DirectoryWriter {
 public:
  using Handle = std::shared_ptr<const base::UniqueFd>;

  // `work_tree` must exist. `descriptors_max` bounds the cache.
  explicit DirectoryWriter(const std::string& work_tree, std::size_t descriptors_max = 256);

  // The directory's descriptor; makes it, and those above it, where they do not exist yet. A regular file or symlink
  // in the way (on a file system that folds case) gives way to the directory, and is counted in `displaced`.
  Handle open(Directory& directory);

  // As `open`, for a name in `directory` that holds slashes: the descriptor of the last directory, and the last
  // component in `leaf`.
  Handle open_for(Directory& directory, std::string_view name, std::string_view& leaf);

  // Makes an empty directory for a submodule.
  void make_submodule(Directory& directory, std::string_view name);

  bool displaced_any() const { return displaced_.load(); }

 private:
  Handle open_child(const Handle& parent, std::string_view name, bool& made, const Directory* below);
  Handle cached(const Directory* directory);
  void keep(const Directory* directory, const Handle& handle);

  const std::string work_tree_;
  const std::size_t descriptors_max_;
  Handle top_;
  std::atomic<bool> displaced_{false};
  std::mutex mutex_;                                       // guards the two below
  std::list<std::pair<const Directory*, Handle>> recent_;  // newest first
  std::unordered_map<const Directory*, std::list<std::pair<const Directory*, Handle>>::iterator> places_;
};

}  // namespace pfetch::checkout
