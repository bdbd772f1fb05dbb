// What the tests of base/sha1 share.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "base/sha1.h"

namespace pfetch::base::sha1_support {

// The kernels that can run here; the others are tested where the processor has them.
inline std::vector<Sha1Kernel> kernels() {
  std::vector<Sha1Kernel> found;
  for (const Sha1Kernel kernel :
       {Sha1Kernel::portable, Sha1Kernel::shani_avx2, Sha1Kernel::shani_avx512, Sha1Kernel::armv8}) {
    if (sha1_kernel_available(kernel)) found.push_back(kernel);
  }
  return found;
}

inline std::string hex(const Sha1Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

inline std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace pfetch::base::sha1_support
