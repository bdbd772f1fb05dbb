// The pack that is arriving: what is known of its entries, the file it is written to, and the contents still at hand.
//
// As an ObjectSource it gives every object resolved so far, from the base cache or inflated again from the file; so a
// blob that came before its path was known can be replayed. Thread safe.
#pragma once

#include <string>

#include "base/buffer_pool.h"
#include "base/fd.h"
#include "object/object_source.h"
#include "pack/entry_table.h"
#include "pack/ingest_counters.h"
#include "pack/oid_map.h"
#include "pack/recent_objects.h"

namespace pfetch::pack {

struct ArrivingPackLimits {
  std::uint64_t cache_budget_bytes = 0;
  // A delta that makes more is refused. A few bytes of instructions can ask for any size.
  std::uint64_t delta_result_max = 0;
};

class ArrivingPack : public object::ObjectSource {
 public:
  // `fd` is the pack's file, open for reading (and writing, while it arrives); `path` names it in messages.
  ArrivingPack(base::UniqueFd fd, std::string path, const ArrivingPackLimits& limits, IngestCounters& counters);

  std::optional<object::ObjectInfo> info(const object::Oid& id) override;
  std::optional<object::Object> read(const object::Oid& id) override;
  bool stream(const object::Oid& id, const std::function<void(base::Bytes)>& piece) override;
  // Kind of a resolved object without touching its content; nullopt when it has not come.
  std::optional<object::Kind> kind_of(const object::Oid& id) const;

  // The whole content of a resolved entry.
  base::SharedBytes content(EntryNumber number);
  // What is stored for an entry, inflated: an object, or a delta's instructions.
  base::SharedBytes inflate_again(EntryNumber number);
  // The result of `delta` on `base`, its size proven by the instructions before memory is taken for it.
  base::SharedBytes patched(base::Bytes base, base::Bytes delta) const;

  EntryTable& table() { return table_; }
  const EntryTable& table() const { return table_; }
  OidMap& ids() { return ids_; }
  RecentObjects& cache() { return cache_; }
  IngestCounters& counters() { return counters_; }
  base::BufferPool& buffers() { return *buffers_; }
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }

 private:
  void inflate_pieces(EntryNumber number, const std::function<void(base::Bytes)>& piece);

  base::UniqueFd fd_;
  std::string path_;
  const std::uint64_t delta_result_max_;
  IngestCounters& counters_;
  std::shared_ptr<base::BufferPool> buffers_;
  EntryTable table_;
  OidMap ids_;
  RecentObjects cache_;
};

using store::is_delta;

// Throws ErrorCode::refused for an object that bears the mark of a collision attack; `offset` is where it is stored.
void refuse_attack(bool attack, const object::Oid& id, std::uint64_t offset);

}  // namespace pfetch::pack
