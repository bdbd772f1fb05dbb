// `.git/shallow`: the commits at which this repository's history is cut (its roots).
//
// Format (gitrepository-layout(5), gitformat-shallow in Git's technical notes): one hex id for each line. As Git does,
// reading accepts either case, CRLF, anything after the id, a missing last newline and repeated lines; a line that does
// not begin with an id (a blank one too) is an error, and then the file is left alone. A file that is there but empty
// means "shallow, with no roots". Written are lower-case ids in ascending order, each with "\n".
//
// Where the file is (the common directory, or GIT_SHALLOW_FILE) is the caller's to say. ShallowFile is a value;
// ShallowLock belongs to one thread. Throws ErrorCode::corrupt for bad lines, ErrorCode::exists for a held lock.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock_file.h"
#include "object/oid.h"
#include "repo/packed_refs.h"
#include "repo/shared_mode.h"

namespace pfetch::shallow {

struct ShallowFile {
  bool there = false;              // the repository is shallow
  std::vector<object::Oid> roots;  // ascending, each once
  std::string content;             // the bytes as they are, for hashing and for telling a change
  repo::FileStamp stamp;

  bool has(const object::Oid& id) const;
};

// An absent file (or an empty `path`, as GIT_SHALLOW_FILE="" means) gives an empty value. At most size_max bytes.
ShallowFile read_shallow_file(const std::string& path);

// Throws ErrorCode::corrupt; `path` is for the message.
std::vector<object::Oid> parse_shallow(std::string_view content, const std::string& path);

// What Git would write. `roots` may be in any order and have repetitions.
std::string format_shallow(std::span<const object::Oid> roots);

// A change of the boundary, apart from what the file holds.
struct ShallowEdit {
  std::vector<object::Oid> add;
  std::vector<object::Oid> remove;  // one that is also in `add` stays

  bool empty() const { return add.empty() && remove.empty(); }
};

// `roots` without edit.remove and with edit.add, ascending, each once.
std::vector<object::Oid> merged(std::span<const object::Oid> roots, const ShallowEdit& edit);

// Holds `<path>.lock`. Without a commit the file stays as it was. The descriptor is closed while the lock is held.
class ShallowLock {
 public:
  ShallowLock() = default;
  static ShallowLock take(const std::string& path, int wait_ms = 0, const repo::SharedMode& shared = {});

  bool held() const { return lock_.held(); }
  const std::string& lock_path() const { return lock_.lock_path(); }

  // The file as it is now, under the lock.
  ShallowFile current() const;
  // Writes `roots` into the lock file, durable, and closes it: what can fail, fails before refs move.
  void stage(std::span<const object::Oid> roots);
  // Publishes what was staged and gives the lock back. No roots: the file is removed.
  void commit();
  void commit(std::span<const object::Oid> roots);
  // Applies `edit` to what is on disk now; whoever changed the file since it was read is respected. Returns the roots
  // that the file has then. An edit that changes nothing leaves the file's bytes alone.
  std::vector<object::Oid> commit_merged(const ShallowEdit& edit);
  void rollback();

 private:
  std::string path_;
  base::LockFile lock_;
  bool staged_ = false;
  bool staged_empty_ = false;
};

}  // namespace pfetch::shallow
