// Inflating zlib streams (RFC 1950), the two ways Git's data needs.
//
// `Inflater` is resumable and in bounded memory (zlib): it alone gives verdicts on damage. `FastInflater` (libdeflate)
// needs the whole stream at hand and is two to three times faster; whatever it does not accept is asked of `Inflater`
// again, from the first byte. Neither is thread safe; each thread has its own.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.h"

struct libdeflate_decompressor;

namespace pfetch::base {

// Deflate cannot expand more than this (RFC 1951: 258 bytes from 2 bits, rounded by zlib's own analysis).
inline constexpr std::size_t inflate_ratio_max = 1032;

// An upper bound, in bytes, of what usual compressors make of `size` bytes. A legal stream can be longer.
std::size_t usual_deflate_bound(std::size_t size);

class Inflater {
 public:
  enum class Status {
    need_input,   // all input was taken, the stream goes on
    need_output,  // the output is full, the stream goes on
    done,         // the stream ended and its checksum is right
    damaged,
  };
  struct Step {
    Status status;
    std::size_t taken = 0;     // bytes of input used
    std::size_t produced = 0;  // bytes of output written
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void reset();
  Step step(Bytes input, std::span<std::byte> output);

 private:
  z_stream stream_{};
};

class FastInflater {
 public:
  FastInflater();
  ~FastInflater();
  FastInflater(const FastInflater&) = delete;
  FastInflater& operator=(const FastInflater&) = delete;

  // Inflates a stream that begins at `input` (which may be longer than the stream) to exactly output.size() bytes.
  // Returns the count of input bytes used, 0 for anything else: damage, another size, a stream that is not whole.
  std::size_t inflate(Bytes input, std::span<std::byte> output);

 private:
  libdeflate_decompressor* decompressor_;
};

// Inflates a whole stream of known size with the fast way, and with the sure way when that says no.
// Throws ErrorCode::corrupt. Returns the count of input bytes used.
std::size_t inflate_whole(FastInflater& fast, Inflater& sure, Bytes input, std::span<std::byte> output);

// CRC-32 as in pack indexes (the polynomial of RFC 1952), continued from `crc` (0 at the start).
std::uint32_t crc32(std::uint32_t crc, Bytes bytes);

}  // namespace pfetch::base
