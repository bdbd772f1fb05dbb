#include "store/delta.h"

#include <cstring>

#include "base/error.h"

namespace pfetch::store {

namespace {

[[noreturn]] void throw_bad(const char* why) {
  throw Error(ErrorCode::corrupt, std::string("bad delta: ") + why);
}

std::uint64_t read_size(base::Bytes delta, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    if (at >= delta.size()) throw_bad("its header is cut short");
    const auto byte = std::to_integer<std::uint8_t>(delta[at++]);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  throw_bad("a size does not fit");
}

// The operand bytes of a copy instruction that `flags` says are present, least significant first.
std::uint32_t read_operand(base::Bytes delta, std::size_t& at, unsigned flags, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    if ((flags >> i & 1) == 0) continue;
    if (at >= delta.size()) throw_bad("a copy instruction is cut short");
    value |= std::to_integer<std::uint32_t>(delta[at++]) << (8 * i);
  }
  return value;
}

// One instruction: a copy from the base, or (`copies` false) `size` literal bytes that follow at `at`.
struct Instruction {
  bool copies = false;
  std::size_t offset = 0;
  std::size_t size = 0;
};

Instruction read_instruction(base::Bytes delta, std::size_t& at) {
  const auto op = std::to_integer<unsigned>(delta[at++]);
  if ((op & 0x80) != 0) {
    const std::size_t offset = read_operand(delta, at, op & 0x0f, 4);
    const std::size_t size = read_operand(delta, at, op >> 4 & 0x07, 3);
    return {true, offset, size == 0 ? 0x10000 : size};
  }
  if (op == 0) throw_bad("it has an instruction that is reserved");
  if (op > delta.size() - at) throw_bad("an insert instruction is cut short");
  return {false, 0, op};
}

}  // namespace

DeltaSizes read_delta_sizes(base::Bytes delta) {
  DeltaSizes sizes;
  sizes.base = read_size(delta, sizes.header);
  sizes.result = read_size(delta, sizes.header);
  return sizes;
}

std::uint64_t measure_delta(base::Bytes delta) {
  const DeltaSizes sizes = read_delta_sizes(delta);
  std::uint64_t size = 0;
  for (std::size_t at = sizes.header; at < delta.size();) {
    const Instruction instruction = read_instruction(delta, at);
    if (!instruction.copies) at += instruction.size;
    size += instruction.size;
  }
  if (size != sizes.result) throw_bad("its result is of another size than it says");
  return size;
}

void apply_delta(base::Bytes base, base::Bytes delta, std::span<std::byte> result) {
  const DeltaSizes sizes = read_delta_sizes(delta);
  if (sizes.base != base.size()) throw_bad("it was made for a base of another size");
  if (sizes.result != result.size()) throw_bad("its result is of another size");
  std::size_t at = sizes.header;
  std::size_t filled = 0;
  while (at < delta.size()) {
    const Instruction instruction = read_instruction(delta, at);
    if (instruction.size > result.size() - filled) throw_bad("it writes beyond its result");
    if (instruction.copies) {
      if (instruction.offset > base.size() || instruction.size > base.size() - instruction.offset) {
        throw_bad("it copies from outside its base");
      }
      std::memcpy(result.data() + filled, base.data() + instruction.offset, instruction.size);
    } else {
      std::memcpy(result.data() + filled, delta.data() + at, instruction.size);
      at += instruction.size;
    }
    filled += instruction.size;
  }
  if (filled != result.size()) throw_bad("its result is shorter than it says");
}

}  // namespace pfetch::store
