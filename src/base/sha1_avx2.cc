// SHA-NI with the check in AVX2 lanes.
#include "base/sha1_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/sha1_layout.h"

namespace pfetch::base::sha1_internal {
namespace {

#define PFETCH_LANES_TARGET __attribute__((target("avx2,bmi,bmi2,sha,sse4.1")))
#define PFETCH_LANES_BYTES 32
#define PFETCH_LANES_ANY(x) (_mm256_testz_si256((__m256i)(x), (__m256i)(x)) == 0)
// Each builds on the one before.
#include "base/sha1_lanes.inc"

#include "base/sha1_conditions.inc"

#include "base/sha1_x86.inc"

#include "base/sha1_streams.inc"

}  // namespace

const Kernel kShaniAvx2Kernel{compress_blocks, compress_two, check_batch, retest_candidates};

}  // namespace pfetch::base::sha1_internal

#endif
