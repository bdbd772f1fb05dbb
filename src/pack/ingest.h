// The pipeline: receive → scan → hash and resolve on workers → sinks, in one pass over the data.
//
//     other side ──► receiver ──► ring ──► scanner ──► work queue ──► workers ──► sinks (connectivity, checkout, …)
//                        │                                              ▲ │
//                        └──► temporary pack ──(inflated again, rarely)─┘ └──► entry table: id, offset, crc
//
// Memory: the ring, the work queue, the base cache and the pending deltas have budgets in bytes; what grows with the
// pack is about 64 bytes per object. Nothing is allocated for what is only claimed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/sha1.h"
#include "object/hasher.h"
#include "object/object_sink.h"
#include "pack/arriving_pack.h"

namespace pfetch::pack {

struct IngestOptions {
  std::string pack_directory;  // the temporary pack is made here: tmp_pack_XXXXXX
  std::string existing_file;   // or this file is indexed where it stands; then nothing is written
  unsigned workers = 0;        // 0: one for each logical core
  // Smaller than git's default for core.deltaBaseCacheLimit: deltas follow their bases closely in a pack that is sent.
  std::uint64_t base_cache_bytes = std::uint64_t{24} << 20;
  std::uint64_t big_file_threshold = std::uint64_t{512} << 20;
  std::uint64_t max_input_bytes = 0;  // 0: unbounded
  bool refuse_duplicates = false;
  // Called on another thread when the pack's last byte has come, for a source that does not end by itself: it may
  // report its end from then on.
  std::function<void()> on_end{};
  // Not null. Blobs over big_file_threshold always take our own.
  std::shared_ptr<const object::Hasher> hasher = std::make_shared<object::CheckedHasher>();
  object::ObjectSource* thin_bases = nullptr;  // completes a thin pack; null: a missing base is an error
};

class Ingest {
 public:
  // Creates the temporary pack. `cancel` stops all stages; the first failure of any stage requests it.
  Ingest(const IngestOptions& options, base::Cancellation& cancel);

  // Takes the whole pack from `source`, delivering to `sinks` from many threads. Throws pfetch::Error; the temporary
  // pack is removed when this object goes, unless it was installed.
  void run(base::ByteSource& source, const std::vector<object::ObjectSink*>& sinks);

  // An ObjectSource of all that has been resolved, during and after `run`.
  ArrivingPack& pack() { return *pack_; }
  const ArrivingPack& pack() const { return *pack_; }
  const IngestCounters& counters() const { return counters_; }
  // The pack's trailer, after `run`.
  const base::Sha1Digest& checksum() const { return checksum_; }
  // Bases appended to complete a thin pack.
  std::uint32_t appended() const { return appended_; }
  // The temporary file now belongs to the installer.
  void release_file() { remove_.dismiss(); }

 private:
  void run_stages(base::ByteSource& source, const std::vector<object::ObjectSink*>& sinks);

  const IngestOptions options_;
  base::Cancellation& cancel_;
  IngestCounters counters_;
  base::RemoveOnFailure remove_;
  std::unique_ptr<ArrivingPack> pack_;
  base::Sha1Digest checksum_{};
  std::uint32_t appended_ = 0;
};

// Creates `<directory>/<prefix>XXXXXX`, opened for reading and writing. `path` receives its name.
base::UniqueFd create_temporary(const std::string& directory, const std::string& prefix, std::string& path);

}  // namespace pfetch::pack
