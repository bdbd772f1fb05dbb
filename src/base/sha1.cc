#include "base/sha1.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>

#include "base/sha1_batch.h"

namespace pfetch::base {

using sha1_internal::Gatherer;
using sha1_internal::kBlockBytes;
using sha1_internal::Kernel;
using sha1_internal::Message;

namespace {

const Kernel& kernel_of(Sha1Kernel kernel) {
  const Kernel* found = sha1_internal::find_kernel(kernel);
  assert(found != nullptr && "ask sha1_kernel_available first");
  return found != nullptr ? *found : sha1_internal::kPortableKernel;
}

// A job that is being hashed.
struct Stream {
  explicit Stream(Sha1Job& of) : job(&of), message(of.head, of.body) { job->attack = false; }
  Sha1Job* job;
  Message message;
};

// Adds the next run of a single stream.
void add_run(Gatherer& gatherer, Stream& stream) {
  (void)gatherer.room();
  const Message::Run run = stream.message.next_run(gatherer.stage(0));
  gatherer.add(stream.message.chain, run.data, run.blocks, &stream.job->attack);
  stream.message.advance(run.blocks);
}

// Adds as many blocks as both streams can give in one piece.
void add_runs(Gatherer& gatherer, Stream& first, Stream& second) {
  const std::size_t room = gatherer.room() / 2;
  const Message::Run one = first.message.next_run(gatherer.stage(0));
  const Message::Run two = second.message.next_run(gatherer.stage(1));
  const std::size_t blocks = std::min({room, one.blocks, two.blocks});
  gatherer.add_pair(first.message.chain, one.data, &first.job->attack, second.message.chain, two.data,
                    &second.job->attack, blocks);
  first.message.advance(blocks);
  second.message.advance(blocks);
}

}  // namespace

Sha1::Sha1(Sha1Kernel kernel) : kernel_(kernel), chain_(sha1_internal::kInitialChain) {}

void Sha1::update(Bytes bytes) {
  const auto held = static_cast<std::size_t>(length_ % kBlockBytes);
  length_ += bytes.size();
  if (bytes.size() < kBlockBytes - held) {
    if (!bytes.empty()) std::memcpy(partial_.data() + held, bytes.data(), bytes.size());
    return;
  }
  Gatherer gatherer(kernel_of(kernel_));
  if (held > 0) {
    const std::size_t missing = kBlockBytes - held;
    std::memcpy(partial_.data() + held, bytes.data(), missing);
    bytes = bytes.subspan(missing);
    gatherer.add(chain_, partial_.data(), 1, &attack_);
  }
  gatherer.add(chain_, bytes.data(), bytes.size() / kBlockBytes, &attack_);
  gatherer.finish();
  const Bytes rest = bytes.last(bytes.size() % kBlockBytes);
  if (!rest.empty()) std::memcpy(partial_.data(), rest.data(), rest.size());
}

Sha1::Result Sha1::finish() {
  const auto held = static_cast<std::size_t>(length_ % kBlockBytes);
  const std::size_t blocks = held + 9 <= kBlockBytes ? 1 : 2;
  std::array<std::byte, 2 * kBlockBytes> tail{};
  std::memcpy(tail.data(), partial_.data(), held);
  tail[held] = std::byte{0x80};
  store_be64(tail.data() + blocks * kBlockBytes - 8, length_ * 8);

  Gatherer gatherer(kernel_of(kernel_));
  gatherer.add(chain_, tail.data(), blocks, &attack_);
  gatherer.finish();
  const Result result{sha1_internal::digest_of(chain_), attack_};
  *this = Sha1(kernel_);
  return result;
}

Sha1::Result sha1_checked(Bytes head, Bytes body) {
  return sha1_checked(head, body, sha1_best_kernel());
}

Sha1::Result sha1_checked(Bytes head, Bytes body, Sha1Kernel kernel) {
  Gatherer gatherer(kernel_of(kernel));
  Sha1Job job{head, body, {}, false};
  Stream stream(job);
  while (!stream.message.done()) add_run(gatherer, stream);
  gatherer.finish();
  return {sha1_internal::digest_of(stream.message.chain), job.attack};
}

void sha1_many(std::span<Sha1Job> jobs) {
  sha1_many(jobs, sha1_best_kernel());
}

void sha1_many(std::span<Sha1Job> jobs, Sha1Kernel kernel) {
  const Kernel& use = kernel_of(kernel);
  Gatherer gatherer(use);
  std::size_t next = 0;
  std::optional<Stream> first;
  std::optional<Stream> second;
  // Puts the next job in place of a finished one.
  const auto refill = [&](std::optional<Stream>& stream) {
    if (stream && stream->message.done()) {
      stream->job->digest = sha1_internal::digest_of(stream->message.chain);
      stream.reset();
    }
    if (!stream && next < jobs.size()) stream.emplace(jobs[next++]);
  };
  for (;;) {
    refill(first);
    if (use.compress_pair != nullptr) refill(second);
    if (first && second) {
      add_runs(gatherer, *first, *second);
    } else if (first || second) {
      add_run(gatherer, first ? *first : *second);
    } else {
      break;
    }
  }
  gatherer.finish();
}

bool sha1_kernel_available(Sha1Kernel kernel) {
  return sha1_internal::find_kernel(kernel) != nullptr;
}

Sha1Kernel sha1_best_kernel() {
  static const Sha1Kernel best = [] {
    for (const Sha1Kernel kernel : {Sha1Kernel::shani_avx512, Sha1Kernel::shani_avx2, Sha1Kernel::armv8}) {
      if (sha1_kernel_available(kernel)) return kernel;
    }
    return Sha1Kernel::portable;
  }();
  return best;
}

const char* sha1_kernel_name(Sha1Kernel kernel) {
  switch (kernel) {
    case Sha1Kernel::portable:
      return "portable";
    case Sha1Kernel::shani_avx2:
      return "shani_avx2";
    case Sha1Kernel::shani_avx512:
      return "shani_avx512";
    case Sha1Kernel::armv8:
      return "armv8";
  }
  return "unknown";
}

}  // namespace pfetch::base
