// Every kernel beside the scalar reference and OpenSSL: same digest, same verdict, whatever the bytes and the cuts.
//
// Input: one byte of seed for the cuts, then the message.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/sha1_kernel.h"

namespace {

using namespace pfetch::base;

void require(bool ok) {
  if (!ok) std::abort();
}

// Counter-cryptanalysis word for word: expand, check, re-test, one block after the other.
bool reference_verdict(std::vector<std::byte> padded) {
  using namespace pfetch::base::sha1_internal;
  const std::uint64_t bits = padded.size() * 8;
  padded.push_back(std::byte{0x80});
  while (padded.size() % kBlockBytes != 56) padded.push_back(std::byte{0});
  padded.resize(padded.size() + 8);
  store_be64(padded.data() + padded.size() - 8, bits);
  bool attack = false;
  Chain chain = kInitialChain;
  Schedule w;
  for (std::size_t at = 0; at < padded.size(); at += kBlockBytes) {
    load_schedule(padded.data() + at, w);
    const Chain before = chain;
    compress(chain, w);
    for (std::size_t v = 0; v < sha1_facts::kVectorCount; ++v) {
      if (((possible_vectors(w) >> v) & 1) != 0) attack |= collides(w, v, before, chain);
    }
  }
  return attack;
}

void check_kernel(Sha1Kernel kernel, Bytes message, unsigned seed, const Sha1Digest& digest, bool attack) {
  if (!sha1_kernel_available(kernel)) return;
  const std::size_t cut = message.empty() ? 0 : seed * 37 % message.size();
  const auto whole = sha1_checked(message.first(cut), message.subspan(cut), kernel);
  require(whole.digest == digest && whole.attack == attack);

  Sha1 pieces(kernel);
  for (std::size_t at = 0; at < message.size();) {
    seed = seed * 1103515245 + 12345;
    const std::size_t size = std::min<std::size_t>(message.size() - at, 1 + (seed >> 8) % 300);
    pieces.update(message.subspan(at, size));
    at += size;
  }
  const auto cut_up = pieces.finish();
  require(cut_up.digest == digest && cut_up.attack == attack);

  std::vector<Sha1Job> jobs(3, Sha1Job{{}, message, {}, !attack});
  jobs[1].body = message.first(cut);
  sha1_many(jobs, kernel);
  require(jobs[0].digest == digest && jobs[0].attack == attack);
  require(jobs[2].digest == digest && jobs[2].attack == attack);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes message(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  PlainSha1 plain;
  plain.update(message);
  const Sha1Digest digest = plain.finish();
  const bool attack = reference_verdict({message.begin(), message.end()});
  for (const Sha1Kernel kernel :
       {Sha1Kernel::portable, Sha1Kernel::shani_avx2, Sha1Kernel::shani_avx512, Sha1Kernel::armv8}) {
    check_kernel(kernel, message, data[0], digest, attack);
  }
  return 0;
}
