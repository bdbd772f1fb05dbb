// Which kernels this build has and this processor can run.
#include "base/sha1_kernel.h"

namespace pfetch::base::sha1_internal {

const Kernel* find_kernel(Sha1Kernel kernel) {
  switch (kernel) {
    case Sha1Kernel::portable:
      return &kPortableKernel;
    case Sha1Kernel::shani_avx2:
    case Sha1Kernel::shani_avx512:
    case Sha1Kernel::armv8:
      break;
  }
  return nullptr;
}

}  // namespace pfetch::base::sha1_internal
