// The kernel that runs everywhere: plain C++, one block at a time.
#include "base/sha1_kernel.h"

namespace pfetch::base::sha1_internal {
namespace {

void compress_blocks(Chain& chain, const std::byte* data, std::size_t blocks, Batch& batch, std::size_t slot) {
  Schedule w;
  for (std::size_t end = slot + blocks; slot < end; ++slot, data += kBlockBytes) {
    load_schedule(data, w);
    batch.block[slot] = data;
    batch.before[slot].set(chain);
    compress(chain, w);
    batch.after[slot].set(chain);
    batch.vectors[slot] = possible_vectors(w);
  }
}

std::uint64_t check_batch(Batch& batch, std::size_t used) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < used; ++i) any |= std::uint64_t{batch.vectors[i] != 0} << i;
  return any;
}

std::uint32_t retest_candidates(const Candidate* candidates, std::size_t count) {
  std::uint32_t attacks = 0;
  Schedule w;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& candidate = candidates[i];
    load_schedule(candidate.block.data(), w);
    const bool attack = collides(w, candidate.vector, candidate.before.chain(), candidate.after.chain());
    attacks |= std::uint32_t{attack} << i;
  }
  return attacks;
}

}  // namespace

const Kernel kPortableKernel{compress_blocks, nullptr, check_batch, retest_candidates};

}  // namespace pfetch::base::sha1_internal
