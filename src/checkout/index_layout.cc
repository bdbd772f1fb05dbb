#include "checkout/index_layout.h"

#include <limits>

#include "base/error.h"

namespace pfetch::checkout {

void append_varint(std::string& to, std::uint64_t value) {
  std::string reversed(1, static_cast<char>(value & 0x7f));
  while ((value >>= 7) != 0) reversed += static_cast<char>(0x80 | (--value & 0x7f));
  to.append(reversed.rbegin(), reversed.rend());
}

std::uint32_t take_varint(base::Bytes& rest) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(rest[i]);
    value = value << 7 | (byte & 0x7f);
    if (value > std::numeric_limits<std::uint32_t>::max()) break;
    if ((byte & 0x80) == 0) {
      rest = rest.subspan(i + 1);
      return static_cast<std::uint32_t>(value);
    }
    ++value;
  }
  throw Error(ErrorCode::corrupt, "a number is too large or cut short");
}

}  // namespace pfetch::checkout
