// SHA-NI with the check in AVX-512 lanes.
//
// The chain is that of the AVX2 kernel: the SHA instructions know the first sixteen registers alone, and a chain that
// is compiled for all thirty-two spends a tenth of its time on moving values between them.
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

#define PFETCH_LANES_TARGET __attribute__((target("avx2,avx512f,avx512vl,avx512bw,avx512dq,bmi,bmi2,sha,sse4.1")))
#define PFETCH_LANES_BYTES 32
#define PFETCH_LANES_ANY(x) (_mm256_testz_si256((__m256i)(x), (__m256i)(x)) == 0)
// Each builds on the one before.
#include "base/sha1_lanes.inc"

#include "base/sha1_conditions.inc"

}  // namespace

const Kernel kShaniAvx512Kernel{kShaniAvx2Kernel.compress, kShaniAvx2Kernel.compress_pair, check_batch,
                                retest_candidates};

}  // namespace pfetch::base::sha1_internal

#endif
