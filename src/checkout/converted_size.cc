#include "checkout/converted_size.h"

#include <fmt/format.h>

#include "base/error.h"

namespace pfetch::checkout {

void check_converted_size(std::uint64_t bytes, std::uint64_t bytes_max) {
  if (bytes <= bytes_max) return;
  throw Error(ErrorCode::refused, fmt::format("the converted file would be larger than {} bytes", bytes_max));
}

}  // namespace pfetch::checkout
