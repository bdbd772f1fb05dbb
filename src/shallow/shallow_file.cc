#include "shallow/shallow_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/fd.h"

namespace pfetch::shallow {

using object::Oid;

namespace {

// Twenty-five million roots; more are no shallow file.
constexpr std::uint64_t content_size_max = std::uint64_t{1} << 30;

[[noreturn]] void throw_bad_line(std::string_view line, const std::string& path) {
  throw Error(ErrorCode::corrupt,
              fmt::format("bad shallow line: '{}' in '{}'; each line must begin with a commit id (remove the line if "
                          "it is empty or was added by hand)",
                          line.substr(0, 80), path));
}

}  // namespace

bool ShallowFile::has(const Oid& id) const {
  return std::binary_search(roots.begin(), roots.end(), id);
}

ShallowFile read_shallow_file(const std::string& path) {
  ShallowFile file;
  if (path.empty()) return file;
  // Stat before reading: if the file changes in between, the stamp is the older one and the next look sees a change.
  file.stamp = repo::FileStamp::of_path(path);
  file.there = base::read_file_if_there(path, file.content, content_size_max);
  if (file.there) file.roots = parse_shallow(file.content, path);
  return file;
}

std::vector<Oid> parse_shallow(std::string_view content, const std::string& path) {
  std::vector<Oid> roots;
  roots.reserve(content.size() / (Oid::hex_size + 1) + 1);
  while (!content.empty()) {
    const auto newline = content.find('\n');
    const std::string_view line = content.substr(0, newline);
    const auto id = Oid::from_hex(line.substr(0, Oid::hex_size));
    if (!id) throw_bad_line(line, path);
    roots.push_back(*id);
    if (newline == std::string_view::npos) break;
    content.remove_prefix(newline + 1);
  }
  return object::sorted_unique(std::move(roots));
}

std::string format_shallow(std::span<const Oid> roots) {
  const std::vector<Oid> sorted = object::sorted_unique({roots.begin(), roots.end()});
  std::string text;
  text.reserve(sorted.size() * (Oid::hex_size + 1));
  for (const Oid& id : sorted) text.append(id.hex()).push_back('\n');
  return text;
}

std::vector<Oid> merged(std::span<const Oid> roots, const ShallowEdit& edit) {
  const std::vector<Oid> dropped = object::sorted_unique(edit.remove);
  std::vector<Oid> result;
  std::copy_if(roots.begin(), roots.end(), std::back_inserter(result),
               [&](const Oid& id) { return !std::binary_search(dropped.begin(), dropped.end(), id); });
  result.insert(result.end(), edit.add.begin(), edit.add.end());
  return object::sorted_unique(std::move(result));
}

ShallowLock ShallowLock::take(const std::string& path, int wait_ms, const repo::SharedMode& shared) {
  ShallowLock lock;
  lock.path_ = path;
  lock.lock_ = base::LockFile::take(path, 0666, wait_ms);
  shared.adjust_path(lock.lock_.lock_path());
  lock.lock_.close();
  return lock;
}

ShallowFile ShallowLock::current() const {
  return read_shallow_file(path_);
}

void ShallowLock::stage(std::span<const Oid> roots) {
  const std::string text = format_shallow(roots);
  const base::UniqueFd fd = base::open_file(lock_.lock_path(), O_WRONLY | O_TRUNC);
  base::write_all(fd.get(), base::as_bytes(text), lock_.lock_path());
  base::sync_fd(fd.get(), lock_.lock_path());
  staged_ = true;
  staged_empty_ = text.empty();
}

void ShallowLock::commit() {
  if (!staged_ || !staged_empty_) {
    if (staged_) {
      lock_.commit();
    } else {
      lock_.rollback();
    }
    return;
  }
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw_errno(errno, "could not remove", path_);
  lock_.rollback();
}

void ShallowLock::commit(std::span<const Oid> roots) {
  stage(roots);
  commit();
}

std::vector<Oid> ShallowLock::commit_merged(const ShallowEdit& edit) {
  const ShallowFile now = current();
  std::vector<Oid> roots = merged(now.roots, edit);
  if (roots == now.roots) {
    lock_.rollback();
  } else {
    commit(roots);
  }
  return roots;
}

void ShallowLock::rollback() {
  lock_.rollback();
  staged_ = false;
}

}  // namespace pfetch::shallow
