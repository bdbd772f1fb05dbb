// How many seeds a random test tries.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace pfetch::test {

// PFETCH_SEEDS, or `usual` when it is not set. A test whose seeds take `cost` times as long as most, since each starts
// git several times, tries so many times fewer.
inline unsigned seed_count(unsigned usual, unsigned cost = 1) {
  const char* const wanted = std::getenv("PFETCH_SEEDS");
  return wanted == nullptr ? usual : std::max(1U, static_cast<unsigned>(std::atoi(wanted)) / cost);
}

}  // namespace pfetch::test
