// The first half of an update: files that go away, the directories that this leaves empty, and what stands where files
// will be written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/trace.h"
#include "checkout/directory_cursor.h"
#include "checkout/updater.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t paths_per_job = 64;

std::size_t jobs_for(std::size_t paths) {
  return (paths + paths_per_job - 1) / paths_per_job;
}

template <typename Item>
std::span<Item> part(std::span<Item> all, std::size_t job) {
  const std::size_t first = job * paths_per_job;
  return all.subspan(first, std::min(paths_per_job, all.size() - first));
}

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

// Makes way for a file where it may: 0, or an errno. What must stay is met again when the file is to be created.
int make_way(const FileUpdate& update, const DirectoryCursor::Place& place, const StatRules& rules) {
  const char* const leaf = place.leaf.c_str();
  const bool submodule = update.mode == object::mode_gitlink;
  if (update.standing == Standing::anything && !submodule) {
    return base::remove_tree_at(place.directory, leaf) ? 0 : errno;
  }
  struct stat found {};
  if (::fstatat(place.directory, leaf, &found, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (S_ISDIR(found.st_mode)) {
    if (!submodule) ::unlinkat(place.directory, leaf, AT_REMOVEDIR);  // that of a submodule, if it is empty
    return 0;
  }
  if (update.standing == Standing::as_known && !stat_agrees(update.known, found, rules)) return 0;
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
  context_.crew.run(jobs_for(removals.size()), [&](std::size_t job) {
    std::vector<Trouble> mine;
    remove_some(part(removals, job), mine);
    const std::lock_guard lock(mutex);
    troubles.insert(troubles.end(), mine.begin(), mine.end());
  });
  std::sort(troubles.begin(), troubles.end(), [](const Trouble& a, const Trouble& b) { return a.path < b.path; });
  EmptyDirectories empty(delivery_.directories().top());
  for (const FileRemoval& removal : removals) empty.add_above(removal.path);
  empty.remove();
  return troubles;
}

void Updater::make_room_for_some(std::span<const FileUpdate> updates) {
  DirectoryCursor cursor(delivery_.directories().top());
  for (const FileUpdate& update : updates) {
    if (!may_need_room(update)) continue;
    context_.cancel.throw_if_requested();
    DirectoryCursor::Place place = cursor.place_of(update.path);
    int error = place.error;
    if (place.directory >= 0) {
      if (update.standing != Standing::nothing) error = make_way(update, place, context_.stat_rules);
    } else if (error == ENOTDIR || error == ELOOP) {
      place = cursor.place_of(std::string(place.missing));
      error = 0;
      if (context_.gives_way && place.directory >= 0) {
        error = ::unlinkat(place.directory, place.leaf.c_str(), 0) == 0 || errno == EISDIR ? 0 : errno;
      }
    }
    if (error != 0 && error != ENOENT) throw_errno(error, "unable to unlink old", std::string(update.path));
  }
}

void Updater::make_room(std::span<const FileUpdate> updates) {
  if (std::none_of(updates.begin(), updates.end(), [this](const FileUpdate& each) { return may_need_room(each); }))
    return;
  const base::TraceSpan span("make room");
  context_.crew.run(jobs_for(updates.size()), [&](std::size_t job) { make_room_for_some(part(updates, job)); });
}

}  // namespace pfetch::checkout
