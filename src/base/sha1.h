// SHA-1 that notices collision attacks, and plain SHA-1 for checksums.
//
// Git names objects by SHA-1, and SHA-1 can be attacked: two different objects of one name can be made. Every known way
// to make them leaves a mark that can be seen in either half of the pair alone. `Sha1`, `sha1_checked` and `sha1_many`
// compute the true SHA-1 of the bytes (FIPS 180-4, never altered) and say whether the bytes bear such a mark; the
// caller refuses the object then. The verdict is that of counter-cryptanalysis with unavoidable bit conditions over 32
// disturbance vectors, the same as Git's own. docs/sha1.md explains the method, the lanes and the figures.
//
// Threads: free functions may be called from any thread; an object of a class belongs to one thread at a time.
// Ownership: spans are borrowed for the length of the call. Bounds: up to 2^61 - 1 bytes per message; memory is a fixed
// 50 KB on the stack during a call. Errors: only PlainSha1 throws (pfetch::Error, when OpenSSL offers no SHA-1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"

namespace pfetch::base {

using Sha1Digest = std::array<std::uint8_t, 20>;

// The ways to compute it. All give the same digest and the same verdict; they differ in speed only.
enum class Sha1Kernel : std::uint8_t { portable, shani_avx2, shani_avx512, armv8 };

// Whether this build has the kernel and this processor can run it. `portable` always can.
bool sha1_kernel_available(Sha1Kernel kernel);
// The fastest kernel available here. Found once, then remembered.
Sha1Kernel sha1_best_kernel();
// "portable", "shani_avx2" …
const char* sha1_kernel_name(Sha1Kernel kernel);

// One message in pieces. Pieces of some kilobytes let the check work on many blocks side by side; smaller ones are
// correct but slower.
class Sha1 {
 public:
  struct Result {
    Sha1Digest digest;
    bool attack;  // the message bears the mark of a collision attack: refuse it
  };

  Sha1() : Sha1(sha1_best_kernel()) {}
  // For tests and benchmarks. The kernel must be available.
  explicit Sha1(Sha1Kernel kernel);

  void update(Bytes bytes);
  // Ends the message and makes the object ready for the next one.
  Result finish();

 private:
  Sha1Kernel kernel_;
  bool attack_ = false;
  std::array<std::uint32_t, 5> chain_;
  std::uint64_t length_ = 0;                       // bytes so far
  alignas(16) std::array<std::byte, 64> partial_;  // the last length_ % 64 bytes
};

// One message in one go: `head` (at most a few bytes, as "blob 123\0") followed by `body`.
Sha1::Result sha1_checked(Bytes head, Bytes body);
Sha1::Result sha1_checked(Bytes head, Bytes body, Sha1Kernel kernel);

// One of many messages: `head` followed by `body`; `digest` and `attack` are written.
struct Sha1Job {
  Bytes head;
  Bytes body;
  Sha1Digest digest;
  bool attack;
};

// Many messages in one go. Small objects are much faster this way: blocks of several messages are hashed and checked
// side by side. Any number of jobs of any sizes; a few dozen small ones are enough to fill the lanes.
void sha1_many(std::span<Sha1Job> jobs);
void sha1_many(std::span<Sha1Job> jobs, Sha1Kernel kernel);

// SHA-1 without detection, by OpenSSL: for the checksums of packs and indexes, which name nothing.
class PlainSha1 {
 public:
  PlainSha1();
  ~PlainSha1();
  PlainSha1(PlainSha1&&) noexcept;
  PlainSha1& operator=(PlainSha1&&) noexcept;

  void update(Bytes bytes);
  // Ends the message and makes the object ready for the next one.
  Sha1Digest finish();
  // The checksum so far; the message goes on.
  Sha1Digest peek() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace pfetch::base
