// Makes the directories of the worktree and opens them, never through a symlink.
//
// Every directory is reached from the descriptor of its parent, component by component, with O_NOFOLLOW. Descriptors
// are kept in a bounded cache; one that is in use stays open when the cache lets go of it. Thread safe.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/fd.h"
#include "checkout/plan.h"

namespace pfetch::checkout {

// What becomes of a file or symlink that stands where a directory is wanted.
enum class InTheWay {
  gives_way,  // it is removed: a new worktree holds nothing but what this checkout wrote
  is_kept,    // the directory is not made
};

class DirectoryWriter {
 public:
  using Handle = std::shared_ptr<const base::UniqueFd>;

  // `work_tree` must exist. `descriptors_max` bounds the cache.
  explicit DirectoryWriter(const std::string& work_tree, InTheWay in_the_way = InTheWay::gives_way,
                           std::size_t descriptors_max = 256);

  // The directory's descriptor; makes it, and those above it, where they do not exist yet. What gave way to a directory
  // (on a file system that folds case, a file of the same checkout) is noted: `displaced_any`. Null where it did not.
  Handle open(Directory& directory);

  // As `open`, for a name in `directory` that holds slashes: the descriptor of the last directory, and the last
  // component in `leaf`.
  Handle open_for(Directory& directory, std::string_view name, std::string_view& leaf);

  // Does `work` in the directory that `open_for` gives; it returns 0 or an errno. Again when descriptors ran out, and
  // when somebody has removed the directory meanwhile, which then is made anew. Returns the errno that is left;
  // EEXIST where something stands in the way of the directory.
  using Work = std::function<int(const Handle& directory, const std::string& leaf)>;
  int in_directory_of(Directory& directory, std::string_view name, const Work& work);

  // Makes an empty directory for a submodule; false when something else stands there. One that is there already is
  // fine.
  bool make_submodule(Directory& directory, std::string_view name);

  // Closes what is open only to be found again quickly.
  void give_back_descriptors();

  int top() const { return top_->get(); }
  bool displaced_any() const { return displaced_.load(); }

 private:
  Handle open_as_known(Directory& directory);
  void forget(Directory& directory);
  Handle open_child(const Handle& parent, std::string_view name, bool& made, Directory* below);
  Handle cached(const Directory* directory);
  void keep(const Directory* directory, const Handle& handle);

  const InTheWay in_the_way_;
  const std::size_t descriptors_max_;
  Handle top_;
  std::atomic<bool> displaced_{false};
  std::mutex mutex_;                                       // guards the two below
  std::list<std::pair<const Directory*, Handle>> recent_;  // newest first
  std::unordered_map<const Directory*, std::list<std::pair<const Directory*, Handle>>::iterator> places_;
};

}  // namespace pfetch::checkout
