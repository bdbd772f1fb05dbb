// Messages cut into blocks, blocks gathered into batches, candidates gathered for the re-test.
//
// Internal to base/sha1. A Gatherer belongs to one thread, is about 46 KB in size and meant for the stack. Whatever it
// was given must stay alive until `finish`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/sha1_kernel.h"

namespace pfetch::base::sha1_internal {

class Gatherer {
 public:
  explicit Gatherer(const Kernel& kernel) : kernel_(kernel) {}
  Gatherer(const Gatherer&) = delete;
  Gatherer& operator=(const Gatherer&) = delete;

  // Adds whole blocks to the chain; `*attack` is set, here or later, when one bears the mark of an attack.
  void add(Chain& chain, const std::byte* data, std::size_t blocks, bool* attack);
  // The same for two messages side by side.
  void add_pair(Chain& first, const std::byte* first_data, bool* first_attack, Chain& second,
                const std::byte* second_data, bool* second_attack, std::size_t blocks);

  // Memory for one block made by the caller, to be added next (`ahead` 0) or after the next (1). Alive long enough.
  std::byte* stage(std::size_t ahead);
  // How many blocks can be added before the batch is checked; at least 2.
  std::size_t room();

  // Every verdict is final after this.
  void finish();

 private:
  void check_batch();
  void note_candidate(std::size_t slot);
  void retest();

  const Kernel& kernel_;
  std::size_t used_ = 0;
  std::size_t candidate_count_ = 0;
  std::array<bool*, kBatchBlocks> attack_;
  Batch batch_;
  std::array<Candidate, kCandidateLanes> candidates_;
  alignas(64) std::array<std::array<std::byte, kBlockBytes>, kBatchBlocks> staged_;
};

// A message on its way through a Gatherer: `head`, then `body`, then the padding of SHA-1.
class Message {
 public:
  Message(Bytes head, Bytes body);

  bool done() const { return next_ == blocks_; }
  // The next blocks that lie in one piece in memory: a run inside `body`, or a single block put together at `stage`.
  struct Run {
    const std::byte* data;
    std::size_t blocks;
  };
  Run next_run(std::byte* stage) const;
  void advance(std::size_t blocks) { next_ += blocks; }

  Chain chain = kInitialChain;

 private:
  void build_block(std::byte* out) const;

  Bytes head_;
  Bytes body_;
  std::uint64_t size_;    // bytes without padding
  std::uint64_t blocks_;  // with padding
  std::uint64_t next_ = 0;
};

Sha1Digest digest_of(const Chain& chain);

}  // namespace pfetch::base::sha1_internal
