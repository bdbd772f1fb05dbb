// The first half of an update: files that go away, and the directories that this leaves empty.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>

#include "base/cleanup.h"
#include "base/trace.h"
#include "checkout/directory_cursor.h"
#include "checkout/updater.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t removals_per_job = 64;

// Removes the directories above the removals that are empty now, the deepest first. A process that works in one of them
// would lose its place: that of this process stays, as in git.
class EmptyDirectories {
 public:
  explicit EmptyDirectories(int top) : top_(top) { known_ = ::stat(".", &current_) == 0; }

  void add_above(std::string_view path) {
    for (auto slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/')) {
      path = path.substr(0, slash);
      if (!directories_.insert(path).second) break;
    }
  }

  void remove() {
    DirectoryCursor cursor(top_);
    for (auto at = directories_.rbegin(); at != directories_.rend(); ++at) {
      const DirectoryCursor::Place place = cursor.place_of(*at);
      if (place.directory < 0 || is_current(place)) continue;
      ::unlinkat(place.directory, place.leaf.c_str(), AT_REMOVEDIR);
    }
  }

 private:
  bool is_current(const DirectoryCursor::Place& place) const {
    struct stat found {};
    return known_ && ::fstatat(place.directory, place.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           found.st_dev == current_.st_dev && found.st_ino == current_.st_ino;
  }

  const int top_;
  struct stat current_ {};
  bool known_ = false;
  std::set<std::string_view> directories_;
};

// What became of one removal: 0, or an errno.
int remove_one(const FileRemoval& removal, const DirectoryCursor::Place& place, const StatRules& rules) {
  const char* const leaf = place.leaf.c_str();
  if (removal.standing == Standing::nothing) return 0;
  if (removal.submodule) return ::unlinkat(place.directory, leaf, AT_REMOVEDIR) == 0 ? 0 : errno;
  if (removal.standing == Standing::as_known) {
    struct stat found {};
    if (::fstatat(place.directory, leaf, &found, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (!stat_agrees(removal.known, found, rules)) return EBUSY;
  }
  if (removal.whole_tree) return base::remove_tree_at(place.directory, leaf) ? 0 : errno;
  return ::unlinkat(place.directory, leaf, 0) == 0 ? 0 : errno;
}

}  // namespace

void Updater::remove_some(std::span<const FileRemoval> removals, std::vector<Trouble>& troubles) {
  DirectoryCursor cursor(delivery_.directories().top());
  for (const FileRemoval& removal : removals) {
    context_.cancel.throw_if_requested();
    const DirectoryCursor::Place place = cursor.place_of(removal.path);
    const bool unreachable = place.error == ENOENT || place.error == ENOTDIR || place.error == ELOOP;
    if (unreachable) continue;
    const int error = place.directory < 0 ? place.error : remove_one(removal, place, context_.stat_rules);
    if (error == 0 || error == ENOENT) continue;
    troubles.push_back({std::string(removal.path), removal.submodule,
                        error == EBUSY ? "it was changed meanwhile" : std::generic_category().message(error)});
  }
}

std::vector<Updater::Trouble> Updater::remove(std::span<const FileRemoval> removals) {
  const base::TraceSpan span("remove files");
  std::vector<Trouble> troubles;
  std::mutex mutex;
  context_.crew.run((removals.size() + removals_per_job - 1) / removals_per_job, [&](std::size_t job) {
    const std::size_t first = job * removals_per_job;
    std::vector<Trouble> mine;
    remove_some(removals.subspan(first, std::min(removals_per_job, removals.size() - first)), mine);
    const std::lock_guard lock(mutex);
    troubles.insert(troubles.end(), mine.begin(), mine.end());
  });
  std::sort(troubles.begin(), troubles.end(), [](const Trouble& a, const Trouble& b) { return a.path < b.path; });
  EmptyDirectories empty(delivery_.directories().top());
  for (const FileRemoval& removal : removals) empty.add_above(removal.path);
  empty.remove();
  return troubles;
}

}  // namespace pfetch::checkout
