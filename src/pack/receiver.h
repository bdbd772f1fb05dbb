// The first stage: bytes from the other side go into the ring, into the temporary pack, and into the pack's checksum.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_source.h"
#include "base/ring.h"
#include "base/sha1.h"
#include "pack/ingest_counters.h"

namespace pfetch::pack {

struct ReceiverOptions {
  int write_fd = -1;                  // where the pack is written; −1 when it is a file already
  std::string path;                   // of that file, for messages
  std::uint64_t max_input_bytes = 0;  // 0: unbounded
};

class Receiver {
 public:
  Receiver(const ReceiverOptions& options, base::ByteSource& source, base::Ring& ring, IngestCounters& counters);

  // Reads to the end of the stream. Runs on a thread of its own.
  void run();

  // After `run`: the SHA-1 of all bytes but the last 20, and those last 20.
  base::Sha1Digest computed() const { return computed_; }
  base::Sha1Digest trailer() const;

 private:
  void add_to_checksum(base::Bytes bytes);

  const ReceiverOptions options_;
  base::ByteSource& source_;
  base::Ring& ring_;
  IngestCounters& counters_;
  base::PlainSha1 checksum_;
  std::string held_back_;  // the last bytes seen, at most 20: the trailer is not part of the checksum
  base::Sha1Digest computed_{};
};

}  // namespace pfetch::pack
