#include "checkout/directory_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pfetch::checkout {

namespace {

// Against somebody who removes a directory as soon as it is made.
constexpr int attempts_max = 20;

}  // namespace

DirectoryWriter::DirectoryWriter(const std::string& work_tree, InTheWay in_the_way, std::size_t descriptors_max)
    : in_the_way_(in_the_way),
      descriptors_max_(descriptors_max),
      top_(std::make_shared<base::UniqueFd>(base::open_file(work_tree, O_RDONLY | O_DIRECTORY))) {}

DirectoryWriter::Handle DirectoryWriter::cached(const Directory* directory) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(directory);
  if (found == places_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

void DirectoryWriter::keep(const Directory* directory, const Handle& handle) {
  const std::lock_guard lock(mutex_);
  if (places_.contains(directory)) return;
  recent_.emplace_front(directory, handle);
  places_[directory] = recent_.begin();
  if (recent_.size() > descriptors_max_) {
    places_.erase(recent_.back().first);
    recent_.pop_back();
  }
}

void DirectoryWriter::give_back_descriptors() {
  const std::lock_guard lock(mutex_);
  places_.clear();
  recent_.clear();
}

// Somebody has removed the directory, or one above it.
void DirectoryWriter::forget(Directory& directory) {
  give_back_descriptors();
  for (Directory* at = &directory; at != nullptr; at = at->parent) at->made.store(false, std::memory_order_relaxed);
}

DirectoryWriter::Handle DirectoryWriter::open(Directory& directory) {
  for (int attempt = 0;; ++attempt) {
    try {
      return open_as_known(directory);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found || attempt == attempts_max) throw;
      forget(directory);
    }
  }
}

DirectoryWriter::Handle DirectoryWriter::open_as_known(Directory& directory) {
  if (directory.parent == nullptr) return top_;
  if (Handle handle = cached(&directory)) return handle;
  // The nearest ancestor that is open, then down again.
  std::vector<Directory*> missing;
  Handle handle;
  for (Directory* at = &directory; !handle; at = at->parent) {
    handle = at->parent == nullptr ? top_ : cached(at);
    if (!handle) missing.push_back(at);
  }
  for (; !missing.empty(); missing.pop_back()) {
    Directory* below = missing.back();
    bool made = below->made.load(std::memory_order_relaxed);
    for (std::string_view rest = below->name; !rest.empty();) {
      const auto slash = rest.find('/');
      handle = open_child(handle, rest.substr(0, slash), made, below);
      if (!handle) return nullptr;
      rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    }
    below->made.store(true, std::memory_order_relaxed);
    keep(below, handle);
  }
  return handle;
}

DirectoryWriter::Handle DirectoryWriter::open_child(const Handle& parent, std::string_view name, bool& made,
                                                    Directory* below) {
  const std::string leaf(name);
  for (int attempt = 0;; ++attempt) {
    if (!made && ::mkdirat(parent->get(), leaf.c_str(), 0777) != 0 && errno != EEXIST) {
      throw_errno(errno, "unable to create directory", below->path());
    }
    const int fd = ::openat(parent->get(), leaf.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) return std::make_shared<base::UniqueFd>(fd);
    const bool in_the_way = errno == ENOTDIR || errno == ELOOP;
    if (in_the_way && in_the_way_ == InTheWay::is_kept) return nullptr;
    if (in_the_way && !made && attempt < attempts_max) {  // whoever is first removes it, and whoever is first makes it
      if (::unlinkat(parent->get(), leaf.c_str(), 0) == 0) displaced_.store(true);
      continue;
    }
    if (errno == ENOENT && !made && attempt < attempts_max) continue;
    if (errno == EMFILE && attempt < 8) {
      give_back_descriptors();
      continue;
    }
    throw_errno(errno, "could not open directory", below->path());
  }
}

DirectoryWriter::Handle DirectoryWriter::open_for(Directory& directory, std::string_view name, std::string_view& leaf) {
  Handle handle = open(directory);
  leaf = name;
  if (!handle) return nullptr;
  for (auto slash = leaf.find('/'); slash != std::string_view::npos; slash = leaf.find('/')) {
    bool made = false;
    if (slash != 0) handle = open_child(handle, leaf.substr(0, slash), made, &directory);
    if (!handle) return nullptr;
    leaf = leaf.substr(slash + 1);
  }
  return handle;
}

int DirectoryWriter::in_directory_of(Directory& directory, std::string_view name, const Work& work) {
  for (int attempt = 0;; ++attempt) {
    std::string_view leaf;
    const Handle handle = open_for(directory, name, leaf);
    if (!handle) return EEXIST;
    const int error = work(handle, std::string(leaf));
    if ((error != EMFILE && error != ENOENT) || attempt == attempts_max) return error;
    if (error == EMFILE) {
      give_back_descriptors();
    } else {
      forget(directory);
    }
  }
}

bool DirectoryWriter::make_submodule(Directory& directory, std::string_view name) {
  const int error = in_directory_of(directory, name, [](const Handle& handle, const std::string& leaf) {
    if (::mkdirat(handle->get(), leaf.c_str(), 0777) == 0) return 0;
    struct stat found {};
    const bool is_there = errno == EEXIST && ::fstatat(handle->get(), leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
    return is_there && S_ISDIR(found.st_mode) ? 0 : errno;
  });
  if (error != 0 && error != EEXIST) throw_errno(error, "unable to create directory", std::string(name));
  return error == 0;
}

}  // namespace pfetch::checkout
