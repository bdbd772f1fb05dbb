// The third stage: workers hash objects (with collision detection), resolve deltas as soon as their base is known, and
// deliver what they have resolved to the sinks.
//
// A delta whose base has not been resolved waits in a list that hangs from the base's entry, its instructions kept
// within a budget (else they are inflated again from the file). A ref-delta whose base has not come at all waits under
// the base's id. Whoever resolves an object takes over the deltas that wait for it: one is followed at once, the others
// become ready for any worker. There is no recursion, so a chain may be of any depth; a cycle is never entered, and its
// members are left unresolved.
#pragma once

#include <array>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "object/hasher.h"
#include "object/object_sink.h"
#include "pack/arriving_pack.h"
#include "pack/work_queue.h"

namespace pfetch::pack {

struct ResolverOptions {
  const object::Hasher& hasher;
  bool refuse_duplicates = false;                               // index-pack --strict
  std::uint64_t pending_budget_bytes = std::uint64_t{8} << 20;  // instructions of deltas that wait
};

class DeltaResolver {
 public:
  DeltaResolver(const ResolverOptions& options, ArrivingPack& pack, WorkQueue& queue,
                std::vector<object::ObjectSink*> sinks);

  // A worker's life: until the queue is done. Many threads.
  void work();

  // After all workers have ended, on one thread:
  // The ref-deltas whose base is not in the pack, by place in the pack.
  std::vector<EntryNumber> unresolved() const;
  // Enters an object that was appended to complete a thin pack, and resolves all that waits for it.
  void add_appended(EntryNumber number, object::Kind kind, const base::SharedBytes& bytes, const object::Oid& id);

 private:
  // What a worker resolved last, when it is too large for the cache: in a chain it is the next one's base. Without it
  // each link of such a chain would be made anew from the chain's first object. Let go at the end of each item.
  struct Latest {
    EntryNumber entry = no_entry;
    base::SharedBytes bytes;
  };

  void process(Batch& batch);
  void hash_whole_objects(const Batch& batch);
  // Returns one delta that is ready now, or no_entry; others go to the queue.
  EntryNumber finish(EntryNumber number, object::Kind kind, base::SharedBytes bytes, const object::Oid& id,
                     std::uint64_t size, Latest& latest);
  EntryNumber resolve(EntryNumber delta, base::SharedBytes instructions, Latest& latest);
  // Resolves `delta`, then one after the other what becomes ready by it. Without instructions, those kept are used.
  // Memory: from the first large object on, no other worker resolves large ones.
  void follow(EntryNumber delta, base::SharedBytes instructions, Latest& latest);
  // Whether the base is resolved; otherwise the delta waits and belongs to whoever resolves the base.
  bool ready_or_wait(EntryNumber delta, const base::SharedBytes& instructions);
  std::vector<EntryNumber> take_waiting(EntryNumber number);
  void keep_pending(EntryNumber delta, const base::SharedBytes& instructions);
  base::SharedBytes take_pending(EntryNumber delta);
  std::mutex& guard_of(EntryNumber number) { return guards_[number % guards_.size()]; }

  const ResolverOptions options_;
  ArrivingPack& pack_;
  WorkQueue& queue_;
  const std::vector<object::ObjectSink*> sinks_;
  std::array<std::mutex, 64> guards_;  // each guards first_waiting of its entries, and the step to `resolved`

  std::mutex large_mutex_;  // held by the one worker that resolves large objects

  std::mutex by_id_mutex_;  // guards waiting_by_id_
  std::unordered_multimap<object::Oid, EntryNumber> waiting_by_id_;

  std::mutex pending_mutex_;  // guards the two below
  std::unordered_map<EntryNumber, base::SharedBytes> pending_;
  std::uint64_t pending_bytes_ = 0;
};

}  // namespace pfetch::pack
