#include "base/bytes.h"

#include <cstring>

namespace pfetch::base {

SharedBytes SharedBytes::copy_of(Bytes bytes) {
  std::shared_ptr<std::byte[]> data(new std::byte[bytes.size()]);
  if (!bytes.empty()) std::memcpy(data.get(), bytes.data(), bytes.size());
  return {std::move(data), bytes.size()};
}

}  // namespace pfetch::base
