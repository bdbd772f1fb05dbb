// What a SHA-1 kernel offers to base/sha1: compressing runs of blocks into a batch, and checking the batch.
//
// The check depends on the message alone, so it need not follow the chain: blocks of any messages are gathered in one
// batch and checked side by side. Internal to base/sha1. A kernel has no state; a Batch belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/sha1.h"
#include "base/sha1_check.h"

namespace pfetch::base::sha1_internal {

inline constexpr std::size_t kBatchBlocks = 256;

// One chaining value as the kernels store it; the order is that of the SHA instructions.
struct alignas(16) StoredChain {
  std::uint32_t d, c, b, a;
  std::uint32_t unused[3];
  std::uint32_t e;

  Chain chain() const { return {a, b, c, d, e}; }
  void set(const Chain& from) { a = from[0], b = from[1], c = from[2], d = from[3], e = from[4]; }
};

// Up to kBatchBlocks blocks that have been compressed and await the check.
struct Batch {
  std::array<const std::byte*, kBatchBlocks> block;  // the message bytes, alive until the batch is checked
  std::array<StoredChain, kBatchBlocks> before;
  std::array<StoredChain, kBatchBlocks> after;
  std::array<std::uint32_t, kBatchBlocks> vectors;          // after `check`: the vectors each block may belong to
  std::array<std::uint64_t, kBatchBlocks / 64> candidates;  // after `check`: a bit for each block that has any
  // The bits of the expanded message that conditions speak of, packed; each kernel has its own layout.
  alignas(64) std::array<std::array<std::uint32_t, 8>, kBatchBlocks> bits;
};

// A block to be re-tested. It owns its bytes: the caller's may be gone when enough candidates have come together.
struct Candidate {
  std::array<std::byte, kBlockBytes> block;
  StoredChain before;
  StoredChain after;
  std::uint32_t vector;
  bool* attack;  // the verdict of the message it came from
};
inline constexpr std::size_t kCandidateLanes = 8;

struct Kernel {
  // Adds `blocks` blocks at `data` to the chain, filling the batch's slots from `slot` on.
  void (*compress)(Chain& chain, const std::byte* data, std::size_t blocks, Batch& batch, std::size_t slot);
  // The same for two messages at once, in slots slot, slot + 2 … and slot + 1, slot + 3 …; null when it does not pay.
  void (*compress_pair)(Chain& first, const std::byte* first_data, Chain& second, const std::byte* second_data,
                        std::size_t blocks, Batch& batch, std::size_t slot);
  // Finds the candidates among the first `used` slots: fills batch.candidates and batch.vectors.
  void (*check)(Batch& batch, std::size_t used);
  // A bit for each of the `count` (at most kCandidateLanes) candidates that is an attack.
  std::uint32_t (*retest)(const Candidate* candidates, std::size_t count);
};

// Re-tests one candidate by the scalar reference.
bool retest_one(const Candidate& candidate);

extern const Kernel kPortableKernel;
#if defined(__x86_64__)
extern const Kernel kShaniAvx2Kernel;
extern const Kernel kShaniAvx512Kernel;
#endif
// Null unless this is an ARMv8 build and its processor has the SHA1 instructions.
const Kernel* armv8_kernel();

// The kernel, or null when it is not built in or the processor cannot run it.
const Kernel* find_kernel(Sha1Kernel kernel);

}  // namespace pfetch::base::sha1_internal
