// The file `packed-refs`: many refs in one sorted file.
//
// Format (gitrepository-layout(5), git-pack-refs(1)): an optional header "# pack-refs with: <traits> ", then a line
// "<hex id> <name>\n" for each ref, and after an annotated tag "^<hex id>\n" with what it points to in the end. Traits:
// `sorted` (by the bytes of the name), `peeled` (tags have their "^" line), `fully-peeled` (all refs have).
//
// A PackedRefs is one immutable snapshot: the file is mapped, and lines are checked when they are read, so that a
// lookup in a file of any size touches only a few pages. Any thread may use it; views live as long as the snapshot. A
// file that does not say `sorted` is read and sorted once. Damage throws ErrorCode::corrupt with the line and the file.
//
// PackedRefsEditor rewrites the file under `packed-refs.lock`, by way of `packed-refs.new`, as Git does. One thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/lock_file.h"
#include "object/oid.h"
#include "repo/shared_mode.h"

namespace pfetch::repo {

struct PackedRef {
  std::string_view name{};
  object::Oid id{};
  std::optional<object::Oid> peeled{};
  bool peel_known = false;  // true and no `peeled`: the object is no tag
  bool bad_name = false;    // no valid ref name, but a safe one: may be deleted, is never followed
};

// What tells one version of a file from the next.
struct FileStamp {
  bool there = false;
  std::uint64_t device = 0, inode = 0, size_bytes = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;

  static FileStamp of_path(const std::string& path);
  static FileStamp of_fd(int fd, const std::string& path);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

class PackedRefs {
 public:
  // An absent file is an empty snapshot. Throws ErrorCode::corrupt for a bad header or an unterminated last line.
  static std::shared_ptr<const PackedRefs> load(const std::string& path);

  const std::string& path() const { return path_; }
  const FileStamp& stamp() const { return stamp_; }
  bool is_current() const { return FileStamp::of_path(path_) == stamp_; }

  // `lines_read`, if given, is raised by the count of lines that were looked at.
  std::optional<PackedRef> find(std::string_view name, std::size_t* lines_read = nullptr) const;

  // Calls `visit` for every ref whose name begins with `prefix`, in the order of names, until it returns false.
  void for_each(std::string_view prefix, const std::function<bool(const PackedRef&)>& visit) const;

  // Walks the refs that begin with `prefix`, for merging with another list.
  class Cursor {
   public:
    Cursor(const PackedRefs& refs, std::string_view prefix);
    bool done() const { return done_; }
    const PackedRef& current() const { return current_; }
    void next();

   private:
    void read();

    const PackedRefs& refs_;
    std::string prefix_;
    std::size_t place_ = 0;  // an offset, or with unsorted files a position in refs_.order_
    std::size_t after_ = 0;
    PackedRef current_;
    bool done_ = false;
  };

 private:
  PackedRefs() = default;
  void read_header();
  void sort_lines();
  PackedRef parse(std::size_t offset, std::size_t& after) const;
  std::size_t line_start(std::size_t low, std::size_t offset) const;
  std::size_t line_end(std::size_t offset) const;
  std::string_view name_at(std::size_t offset) const;
  // The place of the first ref whose name is not less than `name`.
  std::size_t lower_bound(std::string_view name, std::size_t* lines_read) const;
  [[noreturn]] void throw_unexpected(std::size_t offset) const;

  std::string path_;
  FileStamp stamp_;
  base::MappedFile map_;
  std::string_view text_;
  std::size_t first_ = 0;  // offset of the first ref
  bool sorted_ = false;    // the file says so; otherwise order_ holds the offsets in the order of names
  bool peeled_ = false;
  bool fully_peeled_ = false;
  std::vector<std::size_t> order_;
};

// A ref to write. nullopt in PackedChanges removes the name.
struct PackedValue {
  object::Oid id{};
  std::optional<object::Oid> peeled{};
  bool peel_known = false;
};
using PackedChanges = std::map<std::string, std::optional<PackedValue>, std::less<>>;

struct PackedRefsOptions {
  mode_t mode = 0666;  // before umask
  SharedMode shared_mode{};
  int lock_wait_ms = 1000;  // core.packedRefsTimeout
  bool sync = true;         // core.fsync includes `reference`
};

class PackedRefsEditor {
 public:
  // Takes the lock and reads the file under it. A symlink is followed, so that its target is replaced, as Git does.
  // Throws ErrorCode::exists when another process keeps the lock.
  static PackedRefsEditor take(const std::string& path, const PackedRefsOptions& options);

  const PackedRefs& current() const { return *current_; }
  // Writes the whole new file beside the old one, durable. With nothing to change nothing is written. The traits
  // `peeled` and `fully-peeled` are written only when the peeled value of every ref is known.
  void stage(const PackedChanges& changes);
  // Renames the staged file, if there is one, into place; the lock stays, and more may be staged.
  void commit_staged();
  // The same, and gives the lock back.
  void commit();
  void rollback() noexcept;

 private:
  PackedRefsEditor() = default;

  PackedRefsOptions options_;
  std::string path_;
  base::LockFile lock_;
  std::shared_ptr<const PackedRefs> current_;
  base::RemoveOnFailure staged_;
  bool has_staged_ = false;
};

}  // namespace pfetch::repo
