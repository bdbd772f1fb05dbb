#include "base/sha1_batch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pfetch::base::sha1_internal {

void Gatherer::add(Chain& chain, const std::byte* data, std::size_t blocks, bool* attack) {
  while (blocks > 0) {
    const std::size_t now = std::min(blocks, kBatchBlocks - used_);
    kernel_.compress(chain, data, now, batch_, used_);
    std::fill_n(attack_.begin() + static_cast<std::ptrdiff_t>(used_), now, attack);
    used_ += now;
    data += now * kBlockBytes;
    blocks -= now;
    if (used_ == kBatchBlocks) check_batch();
  }
}

void Gatherer::add_pair(Chain& first, const std::byte* first_data, bool* first_attack, Chain& second,
                        const std::byte* second_data, bool* second_attack, std::size_t blocks) {
  kernel_.compress_pair(first, first_data, second, second_data, blocks, batch_, used_);
  for (std::size_t i = 0; i < blocks; ++i) {
    attack_[used_ + 2 * i] = first_attack;
    attack_[used_ + 2 * i + 1] = second_attack;
  }
  used_ += 2 * blocks;
  if (used_ == kBatchBlocks) check_batch();
}

std::byte* Gatherer::stage(std::size_t ahead) {
  return staged_[used_ + ahead].data();
}

std::size_t Gatherer::room() {
  if (kBatchBlocks - used_ < 2) check_batch();
  return kBatchBlocks - used_;
}

void Gatherer::finish() {
  check_batch();
  retest();
}

void Gatherer::check_batch() {
  if (used_ == 0) return;
  kernel_.check(batch_, used_);
  for (std::size_t group = 0; 64 * group < used_; ++group) {
    for (std::uint64_t slots = batch_.candidates[group]; slots != 0; slots &= slots - 1) {
      note_candidate(64 * group + static_cast<std::size_t>(std::countr_zero(slots)));
    }
  }
  used_ = 0;
}

void Gatherer::note_candidate(std::size_t slot) {
  for (std::uint32_t vectors = batch_.vectors[slot]; vectors != 0; vectors &= vectors - 1) {
    Candidate& candidate = candidates_[candidate_count_++];
    std::memcpy(candidate.block.data(), batch_.block[slot], kBlockBytes);
    candidate.before = batch_.before[slot];
    candidate.after = batch_.after[slot];
    candidate.vector = static_cast<std::uint32_t>(std::countr_zero(vectors));
    candidate.attack = attack_[slot];
    if (candidate_count_ == kCandidateLanes) retest();
  }
}

void Gatherer::retest() {
  std::uint32_t attacks = candidate_count_ == 0 ? 0 : kernel_.retest(candidates_.data(), candidate_count_);
  candidate_count_ = 0;
  for (; attacks != 0; attacks &= attacks - 1) {
    *candidates_[static_cast<std::size_t>(std::countr_zero(attacks))].attack = true;
  }
}

Message::Message(Bytes head, Bytes body)
    : head_(head), body_(body), size_(head.size() + body.size()), blocks_((size_ + 8) / kBlockBytes + 1) {}

Message::Run Message::next_run(std::byte* stage) const {
  const std::uint64_t at = next_ * kBlockBytes;
  if (at >= head_.size() && at + kBlockBytes <= size_) {
    return {body_.data() + (at - head_.size()), static_cast<std::size_t>((size_ - at) / kBlockBytes)};
  }
  build_block(stage);
  return {stage, 1};
}

void Message::build_block(std::byte* out) const {
  const std::uint64_t at = next_ * kBlockBytes;
  const std::byte* const end = out + kBlockBytes;
  std::byte* p = out;
  // As much of `part`, which starts at byte `start` of the message, as falls into this block.
  const auto copy = [&](Bytes part, std::uint64_t start) {
    const std::uint64_t from = at + static_cast<std::uint64_t>(p - out);
    if (p == end || from >= start + part.size()) return;
    const Bytes rest = part.subspan(static_cast<std::size_t>(from - start));
    const std::size_t count = std::min(rest.size(), static_cast<std::size_t>(end - p));
    std::memcpy(p, rest.data(), count);
    p += count;
  };
  copy(head_, 0);
  copy(body_, head_.size());
  if (p == end) return;
  std::memset(p, 0, static_cast<std::size_t>(end - p));
  if (at + static_cast<std::uint64_t>(p - out) == size_) *p = std::byte{0x80};
  if (next_ + 1 == blocks_) store_be64(out + 56, size_ * 8);
}

Sha1Digest digest_of(const Chain& chain) {
  Sha1Digest digest;
  for (std::size_t i = 0; i < 5; ++i) store_be32(digest.data() + 4 * i, chain[i]);
  return digest;
}

}  // namespace pfetch::base::sha1_internal
