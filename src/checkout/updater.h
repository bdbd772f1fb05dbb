// Changes the files of a worktree that is there: removes some, writes others, on all workers.
//
// The caller has looked at everything first (worktree_state, obstacles) and says for each path what it found. What is
// found otherwise now was put there since: it is not touched, and the path is reported. Nothing is written through a
// symlink, whoever put it there.
//
// All that may go is gone before the first file is written, and each is created where nothing stands. So what is met
// then is somebody's, or was written by this update under another spelling of the path.
//
// The order: `remove`, `write`, `run_filters`, `finish`, from one thread each. Errors: ErrorCode::io with path and
// errno; the worktree is then half changed, and the same call made again completes it.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "checkout/attribute_lookup.h"
#include "checkout/collisions.h"
#include "checkout/delivery.h"
#include "checkout/index_file.h"
#include "checkout/racy.h"
#include "checkout/worker_crew.h"
#include "object/object_source.h"

namespace pfetch::checkout {

// What stands at a path now, as far as the caller has looked.
enum class Standing : std::uint8_t {
  nothing,   // what appears there is somebody's, and stays
  as_known,  // a file or link with the stat data `known`, which may go
  anything,  // whatever it is may go, a whole directory too
};

struct FileUpdate {
  std::string_view path;
  std::uint32_t mode = 0;  // canonical
  object::Oid id;
  Standing standing = Standing::nothing;
  IndexStat known{};
  // Written: stat data of the new file, all zero when it was not written.
  IndexStat stat{};
  bool written = false;
};

struct FileRemoval {
  std::string_view path;
  bool submodule = false;                  // only an empty directory goes
  Standing standing = Standing::as_known;  // `nothing` for a file that is gone already: only empty directories go
  IndexStat known{};
  bool whole_tree = false;  // with `anything`: a directory that stands there goes with all that is below
};

struct UpdaterContext {
  object::ObjectSource& objects;
  AttributeLookup& attributes;  // as files come to the worktree
  WorkerCrew& crew;
  base::Cancellation& cancel;
  StatRules stat_rules;                                     // by which files are known again
  std::uint64_t big_file_bytes = std::uint64_t{512} << 20;  // core.bigFileThreshold: larger ones are streamed
  bool gives_way = false;                                   // files and links where directories are needed may go
};

class Updater {
 public:
  // All must outlive it.
  Updater(const DeliveryOptions& options, UpdaterContext context);

  // Paths in order. Directories that this leaves empty go, too, but for the current one. Returns what could not be
  // removed: the path and why.
  struct Trouble {
    std::string path;
    bool submodule = false;
    std::string reason;
  };
  std::vector<Trouble> remove(std::span<const FileRemoval> removals);

  // Paths in order, each once. The span must stay until `finish` has returned.
  void write(std::span<FileUpdate> updates);
  bool has_filtered() const { return delivery_.has_filtered(); }
  std::vector<FilterFailure> run_filters(const FilterPlace& place, const FilterOrigin& origin) {
    return delivery_.run_filters(place, origin);
  }
  // Symlinks; then stat data stand in the updates. Returns what was not written because something stood there.
  Collisions finish();
  // After a failure of `write`, `run_filters` or `finish`: puts into the updates what has been written. A file that was
  // begun is not there.
  void collect();

  const CheckoutCounters& counters() const { return delivery_.counters(); }
  std::vector<std::string> encoding_errors() const { return delivery_.encoding_errors(); }

 private:
  struct Job {
    Directory* directory;
    std::size_t slice;  // counted in each directory
    std::size_t first;  // into slots_
    std::size_t last;
  };
  void plan(std::span<FileUpdate> updates);
  Directory& directory_of(std::string_view path);
  void write_some(const Job& job);
  void write_one(FileSlot& file, const FileUpdate& update);
  bool may_need_room(const FileUpdate& update) const {
    return update.standing != Standing::nothing || context_.gives_way;
  }
  void make_room(std::span<const FileUpdate> updates);
  void make_room_for_some(std::span<const FileUpdate> updates);
  void remove_some(std::span<const FileRemoval> removals, std::vector<Trouble>& troubles);

  const UpdaterContext context_;
  Delivery delivery_;
  Directory top_;
  std::deque<Directory> directories_;
  std::vector<Directory*> open_;  // those on the way to the last path that was planned, the top first
  std::vector<FileSlot> slots_;   // one for each update, in their order
  std::vector<Job> jobs_;
  std::span<FileUpdate> updates_;
};

}  // namespace pfetch::checkout
