// The second stage, and the only serial one: finds where each entry of the arriving pack begins and ends, and inflates
// it once. The buffers it fills are handed on to the workers as they are.
//
// The problem: an entry says how large it is inflated, not how long its compressed data is; only inflating tells where
// the next entry begins. libdeflate is two to three times faster than zlib but wants the whole stream at hand. So an
// entry of at most 32 MB waits until the *usual* bound of its compressed size is in the ring, or the ring is full, and
// is then inflated in one go; larger ones, and whatever libdeflate does not accept, go through zlib step by step, which
// alone gives verdicts. Near the end, where no more may come than the entries at their shortest, it takes what is
// there. No buffer grows beyond 1,032 times the compressed bytes seen, whatever size an entry claims.
#pragma once

#include <functional>

#include "base/inflate.h"
#include "base/ring.h"
#include "pack/arriving_pack.h"
#include "pack/work_queue.h"

namespace pfetch::pack {

struct ScannerOptions {
  std::uint64_t big_file_threshold = std::uint64_t{512} << 20;  // blobs beyond are hashed here and not kept, bytes
  std::function<void()> on_end{};  // called when the last byte of the trailer is there; see IngestOptions
};

// What a pack's header says (gitformat-pack).
struct PackHeader {
  std::uint32_t version = 0;
  std::uint32_t objects = 0;
};
// Waits for the header and takes it from the ring. Throws ErrorCode::corrupt when it is none.
PackHeader take_pack_header(base::Ring& ring);

class EntryScanner {
 public:
  EntryScanner(const ScannerOptions& options, base::Ring& ring, ArrivingPack& pack, WorkQueue& queue);

  // Scans `objects` entries and the trailer, then closes the queue. Throws ErrorCode::corrupt naming the offset.
  void run(std::uint32_t objects);

  // After `run`: bytes of the pack without its trailer.
  std::uint64_t end_of_entries() const { return offset_; }

 private:
  void scan_entry();
  store::EntryHeader read_header();
  void link_base(EntryNumber number, const store::EntryHeader& header);
  base::SharedBytes inflate_entry(EntryNumber number, const store::EntryHeader& header);
  base::SharedBytes inflate_by_steps(std::uint64_t size);
  void inflate_streaming(EntryNumber number, const store::EntryHeader& header);
  // Feeds zlib from the ring until the entry ends; `room` gives the next space to fill, `filled` takes what was.
  void inflate_from_ring(std::uint64_t size, const std::function<std::span<std::byte>()>& room,
                         const std::function<void(std::size_t)>& filled);
  // Bytes that the rest of the pack has at least. To wait for more could be to wait for ever: whoever sends the pack
  // may keep the connection open after it, for an answer.
  std::size_t certain_to_come() const;
  void take(base::Bytes bytes);
  void hand_over(EntryNumber number, base::SharedBytes bytes, std::uint64_t size);
  void flush();
  base::Bytes wait_data(std::size_t at_least);
  void take_trailer();

  const ScannerOptions options_;
  base::Ring& ring_;
  ArrivingPack& pack_;
  WorkQueue& queue_;
  base::FastInflater fast_;
  base::Inflater sure_;
  base::Bytes readable_;       // what the ring held when it was last asked, not yet taken
  std::size_t untold_ = 0;     // bytes taken that the ring has not been told of
  std::uint64_t offset_ = 12;  // of the next byte in the pack; the header is 12 bytes
  std::uint32_t crc_ = 0;
  std::uint64_t consumed_in_entry_ = 0;
  std::uint64_t entries_left_ = 0;  // with the one at hand
  Batch batch_;
  std::uint64_t batch_bytes_ = 0;
};

}  // namespace pfetch::pack
