// Any bytes as a delta: what it measures is what it makes, or it is refused.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "store/delta.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pfetch;
  if (size == 0) return 0;
  const base::Bytes all = std::as_bytes(std::span(data, size));
  const base::Bytes delta = all.subspan(1);
  const std::vector<std::byte> base(std::to_integer<std::size_t>(all[0]), std::byte{'b'});
  try {
    const std::uint64_t measured = store::measure_delta(delta);
    if (measured != store::read_delta_sizes(delta).result) std::abort();
    if (measured > 1 << 22) return 0;
    std::vector<std::byte> result(measured);
    store::apply_delta(base, delta, result);
  } catch (const Error&) {
  }
  return 0;
}
