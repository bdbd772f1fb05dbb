#include "checkout/directory_cursor.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace pfetch::checkout {

namespace {

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

void DirectoryCursor::reset() {
  levels_.clear();
  path_.clear();
  unreachable_.clear();
}

DirectoryCursor::Place DirectoryCursor::place_of(std::string_view path) {
  const auto slash = path.rfind('/');
  Place place;
  place.leaf = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  const std::string_view wanted = path.substr(0, slash == std::string_view::npos ? 0 : slash);
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

}  // namespace pfetch::checkout
