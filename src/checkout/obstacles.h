// What stands in the worktree, untracked, where a switch wants to write or remove: looked at before anything changes.
//
// As in git, an untracked file stands in the way whatever it holds; one that is ignored may be overwritten; a directory
// gives way when there are no files below it but tracked ones that the plan removes, or when it is ignored itself.
// Where git is careless a file is kept: a submodule that holds anything, and a file that is called `.git`, do not give
// way to a file.
//
// A finder belongs to one thread; many may share the work, each with its part of the plan. Never follows a symbolic
// link. Directories are opened once for all paths in them if these come in order, and below one that is not there
// nothing is looked at. Errors: ErrorCode::io for what cannot be looked at.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "checkout/directory_cursor.h"
#include "checkout/index.h"
#include "checkout/other_spelling.h"
#include "checkout/switch_plan.h"

namespace pfetch::checkout {

// Paths from the top of the worktree.
struct Obstacles {
  std::vector<std::string> untracked_overwritten;  // files and links
  std::vector<std::string> untracked_removed;      // files that were staged as deleted, and are not wanted
  std::vector<std::string> directories;            // with untracked files below them
  // Ignored, and to be removed to make room: at planned paths, or files and links above them.
  std::vector<std::string> ignored;

  // Nothing was found that must stay.
  bool empty() const { return untracked_overwritten.empty() && untracked_removed.empty() && directories.empty(); }

  Obstacles& operator+=(Obstacles other);
  // Makes each list sorted and unique.
  void sort();
};

class ObstacleFinder {
 public:
  // Whether an untracked path is ignored (checkout/ignore). Null: nothing is (--no-overwrite-ignore). Called from the
  // finder's thread.
  using IgnoreTest = std::function<bool(std::string_view path, bool is_directory)>;

  // `top` is the descriptor of the worktree's top. Everything must outlive the finder. `folds_case`: core.ignoreCase;
  // then a tracked file that stands at a wanted path under another spelling is nobody's loss.
  ObstacleFinder(int top, const Index& index, const SwitchPlan& plan, IgnoreTest ignored, bool folds_case = false);

  // One of the plan's paths. Of tracked ones only submodules are looked at: whether files are as the index says is
  // another question.
  void look_at(const PlannedPath& planned);

  // Whether there are files below a directory that are not tracked, or stay. False when there is no directory, and when
  // it is ignored. This is the reason that git gives when a tracked file goes away and such a directory has taken its
  // place; of any other directory there it says that local changes would be overwritten.
  bool would_lose_files_below(std::string_view path);

  Obstacles take() { return std::exchange(found_, {}); }

 private:
  void look_at_untracked(const PlannedPath& planned);
  void look_above(std::string_view above);
  const PlannedPath* find_leaving(std::string_view path) const;
  bool goes_away(std::string_view path) const;
  bool may_overwrite(std::string_view path, bool is_directory);
  bool has_other_spelling(std::string_view path);
  bool has_other_files(base::UniqueFd directory, const std::string& path, bool in_submodule) const;

  const Index& index_;
  const SwitchPlan& plan_;
  const IgnoreTest ignored_;
  const bool folds_case_;
  DirectoryCursor cursor_;
  OtherSpellings spellings_;
  std::string last_above_;  // that was found above a path
  Obstacles found_;
};

}  // namespace pfetch::checkout
