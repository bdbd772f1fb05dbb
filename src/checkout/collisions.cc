#include "checkout/collisions.h"

#include <sys/stat.h>

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "checkout/directory_cursor.h"

namespace pfetch::checkout {

namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // device and inode, as an index has them

class Search {
 public:
  explicit Search(int top) : cursor_(top) {}

  void contest(const std::string& path) {
    const auto found = cursor_.standing_at(path);
    if (!found) {
      theirs_.insert(path);
      return;
    }
    losers_[place_of(*found)].push_back(path);
    directory_contested_ = directory_contested_ || S_ISDIR(found->st_mode);
  }

  // A file that was written may be what stands in another's place, or be below the directory that does.
  void consider(const FileSlot& file) {
    if (const std::optional<Place> place = place_of(file); place && losers_.contains(*place)) note_winner(*place, file);
    if (!directory_contested_) return;
    for (Directory* at = file.directory; at->parent != nullptr; at = at->parent) {
      const std::optional<Place>& place = place_of(*at);
      if (place && losers_.contains(*place)) note_winner(*place, file);
    }
  }

  Collisions take() {
    for (const auto& [place, paths] : losers_) {
      (won_.contains(place) ? collided_ : theirs_).insert(paths.begin(), paths.end());
    }
    return {{collided_.begin(), collided_.end()}, {theirs_.begin(), theirs_.end()}};
  }

 private:
  static Place place_of(const struct stat& found) {
    const IndexStat stat = index_stat(found);
    return {stat.dev, stat.ino};
  }
  std::optional<Place> place_of(const FileSlot& file) {
    if (file.mode != object::mode_gitlink) return Place(file.stat.dev, file.stat.ino);
    const auto found = cursor_.standing_at(path_of(file));
    return found ? std::optional(place_of(*found)) : std::nullopt;
  }
  const std::optional<Place>& place_of(const Directory& directory) {
    const auto [at, is_new] = directories_.try_emplace(&directory);
    if (is_new) {
      if (const auto found = cursor_.standing_at(directory.path())) at->second = place_of(*found);
    }
    return at->second;
  }

  void note_winner(const Place& place, const FileSlot& file) {
    won_.insert(place);
    collided_.insert(path_of(file));
  }

  DirectoryCursor cursor_;
  std::map<Place, std::vector<std::string>> losers_;  // by what stands in their way
  std::set<Place> won_;                               // those places where something of this checkout stands
  bool directory_contested_ = false;
  std::unordered_map<const Directory*, std::optional<Place>> directories_;
  std::set<std::string> collided_;
  std::set<std::string> theirs_;
};

}  // namespace

Collisions find_collisions(int top, const std::vector<const FileSlot*>& files,
                           const std::vector<FileSlot*>& unwritten) {
  Search search(top);
  for (const FileSlot* file : unwritten) search.contest(path_of(*file));
  for (const FileSlot* file : files) {
    if (file->written) search.consider(*file);
  }
  return search.take();
}

}  // namespace pfetch::checkout
