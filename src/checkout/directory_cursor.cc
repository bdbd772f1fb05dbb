#include "checkout/directory_cursor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "object/path_parts.h"

namespace pfetch::checkout {

namespace {

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

std::optional<std::string> read_regular_file(int directory, const std::string& leaf, std::uint64_t bytes_max) {
  const base::UniqueFd fd(::openat(directory, leaf.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found {};
  if (!fd || ::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  if (static_cast<std::uint64_t>(found.st_size) > bytes_max) return std::nullopt;
  return base::read_up_to(fd.get(), static_cast<std::size_t>(found.st_size), leaf);
}

DirectoryCursor::Place DirectoryCursor::place_of(std::string_view path) {
  const std::string_view wanted = object::directory_part(path);
  Place place;
  place.leaf = object::leaf_part(path);
  if (!unreachable_.empty() && is_at_or_below(wanted, unreachable_)) {
    place.error = unreachable_error_;
    place.missing = wanted.substr(0, unreachable_.size());
    return place;
  }
  while (!levels_.empty()) {
    const std::string_view open = std::string_view(path_).substr(0, levels_.back().path_size);
    if (is_at_or_below(wanted, open)) break;
    levels_.pop_back();
  }
  std::size_t at = levels_.empty() ? 0 : levels_.back().path_size;
  path_ = wanted;
  while (at < wanted.size()) {
    const std::size_t begin = at == 0 ? 0 : at + 1;
    const std::size_t end = std::min(wanted.find('/', begin), wanted.size());
    const std::string name(wanted.substr(begin, end - begin));
    const int above = levels_.empty() ? top_ : levels_.back().fd.get();
    base::UniqueFd fd(::openat(above, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd && errno == EMFILE && levels_.size() > 1) {
      levels_.erase(levels_.begin(), levels_.end() - 1);
      continue;
    }
    if (!fd) {
      place.error = unreachable_error_ = errno;
      place.missing = wanted.substr(0, end);
      unreachable_ = place.missing;
      return place;
    }
    if (levels_.size() > kept_max) levels_.pop_back();  // of very deep paths only the last is kept
    levels_.push_back({end, std::move(fd)});
    at = end;
  }
  place.directory = levels_.empty() ? top_ : levels_.back().fd.get();
  return place;
}

std::optional<struct stat> DirectoryCursor::standing_at(std::string_view path) {
  Place place = place_of(path);
  if (place.directory < 0 && !place.missing.empty()) place = place_of(std::string(place.missing));
  struct stat found {};
  const bool is_there =
      place.directory >= 0 && ::fstatat(place.directory, place.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  return is_there ? std::optional(found) : std::nullopt;
}

}  // namespace pfetch::checkout
