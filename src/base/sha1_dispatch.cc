// Which kernels this build has and this processor can run.
#include "base/sha1_kernel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace pfetch::base::sha1_internal {
namespace {

#if defined(__x86_64__)
// The compilers' __builtin_cpu_supports of our day does not know the SHA instructions.
bool has_sha_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 29)) != 0;
}

bool has_avx2() {
  return has_sha_instructions() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#endif

}  // namespace

const Kernel* find_kernel(Sha1Kernel kernel) {
  switch (kernel) {
    case Sha1Kernel::portable:
      return &kPortableKernel;
#if defined(__x86_64__)
    case Sha1Kernel::shani_avx2: {
      static const bool available = has_avx2();
      return available ? &kShaniAvx2Kernel : nullptr;
    }
    case Sha1Kernel::shani_avx512: {
      static const bool available = has_avx512();
      return available ? &kShaniAvx512Kernel : nullptr;
    }
#endif
    case Sha1Kernel::armv8: {
      static const Kernel* const available = armv8_kernel();
      return available;
    }
    default:
      return nullptr;
  }
}

}  // namespace pfetch::base::sha1_internal
