// Writes a worktree while the pack that brings it is still arriving.
//
// The problem: a file can be written when its blob is there, its path is known and its attributes are certain, and an
// arriving pack may bring blobs, trees and `.gitattributes` in any order. The way: trees grow a plan; a blob that the
// plan already names is written at once, by the worker that resolved it. A blob that is early keeps nothing but its id:
// once its path is known, or the attributes above it are certain, it is replayed, that is, read from the source again.
// Attributes of a file are certain when every directory above it is known and each `.gitattributes` there has come or
// is proven absent.
//
// Only ids that hang off the wanted commit are ever written, and names are checked when the plan grows; nothing is
// published before `finish`. Symlinks come last, so that nothing can be written through one.
//
// A file with a filter waits for `run_filters`: filters are programs of the user's, and find a repository that is
// whole.
//
// `accept` is called from many threads; `finish_files`, `run_filters`, `finish` and `write_index` from one, in this
// order, after the pack has been verified.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/cancel.h"
#include "base/lock_file.h"
#include "checkout/delivery.h"
#include "checkout/plan.h"
#include "checkout/worker_control.h"
#include "object/object_sink.h"
#include "object/object_source.h"

namespace pfetch::checkout {

struct EngineOptions {
  DeliveryOptions delivery;  // the worktree is empty but for the repository itself
  PlanRules rules;
  AttributeStack::Sources attributes;  // but for the top directory's file
  WorkerCircumstances workers{};       // for what is replayed at the end; the number of files is filled in
  // False where each operation waits for another machine: there the few workers of the pack would wait with it. All
  // files are replayed then, by as many workers as such a place needs.
  bool writes_on_arrival = true;
};

// What the engine is given to work with; all must outlive it.
struct EngineContext {
  object::ObjectSource& source;                     // of everything that has arrived or was here before
  std::function<bool(const object::Oid&)> arrived;  // cheap: whether the pack has brought this object already
  base::Cancellation& cancel;
};

class Engine : public object::ObjectSink {
 public:
  // `wanted` is the commit, or a tag that leads to it.
  Engine(EngineOptions options, const object::Oid& wanted, EngineContext context);

  void accept(const object::ResolvedObject& resolved) override;

  // The stream has ended: whatever is still missing must be in the source. Replays it on all workers.
  void finish_files();
  // Whether any file waits for a filter.
  bool has_filtered() const { return delivery_.has_filtered(); }
  // Runs the filters. Returns what they failed at, sorted by path.
  std::vector<FilterFailure> run_filters(const FilterPlace& place, const FilterOrigin& origin) {
    return delivery_.run_filters(place, origin);
  }
  // Symlinks. Returns the paths that collided, sorted, all members of each group.
  std::vector<std::string> finish();
  // Writes the index that describes the worktree: entries, stat data, cache tree.
  void write_index(base::LockFile& lock);

  const CheckoutCounters& counters() const { return delivery_.counters(); }
  // What could not be encoded and was written as it is stored, in words, sorted by path.
  std::vector<std::string> encoding_errors() const { return delivery_.encoding_errors(); }

 private:
  static constexpr std::size_t shard_count = 64;
  struct Shard {
    std::mutex mutex;                                  // guards the two below
    std::unordered_map<object::Oid, FileSlot*> blobs;  // chained by next_waiting
    std::unordered_map<object::Oid, std::vector<Directory*>> trees;
  };
  struct Tree {
    Directory* directory;
    object::Oid id;
    base::SharedBytes bytes;
  };
  Shard& shard_of(const object::Oid& id) { return shards_[id.raw[0] % shard_count]; }

  // From the wanted object, or a tag's target, on towards the commit as far as objects have come.
  void start_at(object::Oid id, object::Object object);
  void want_tree(Directory& directory, const object::Oid& id, std::vector<Tree>& here);
  void grow(std::vector<Tree> trees);
  void grow_one(const Tree& tree, std::vector<Tree>& here);
  void want_blob(FileSlot& file);
  void deliver(FileSlot& file, const base::SharedBytes& bytes, bool receiving);
  void settle_attributes(Directory& directory, std::optional<base::Bytes> attribute_file);
  bool hold_unless_certain(FileSlot& file);
  void replay_later(FileSlot& file);
  void replay_some(std::size_t count);
  void replay(FileSlot& file);
  void replay_all();
  void fetch_missing_trees();
  void find_displaced();
  std::vector<std::string> collided_paths();

  const EngineOptions options_;
  EngineContext context_;
  Delivery delivery_;
  std::array<Shard, shard_count> shards_;

  std::mutex plan_mutex_;  // guards plan_, the attributes of its directories, wanted_
  Plan plan_;
  object::Oid wanted_;
  std::atomic<bool> started_{false};  // the wanted commit has come

  std::mutex replay_mutex_;  // guards replays_ and streamed_
  std::deque<FileSlot*> replays_;
  std::atomic<std::size_t> replay_count_{0};
  std::unordered_set<object::Oid> streamed_;
};

}  // namespace pfetch::checkout
