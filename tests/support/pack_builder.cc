#include "tests/support/pack_builder.h"

#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/sha1.h"

namespace pfetch::test {

namespace {

std::string plain_sha1(std::string_view bytes) {
  base::PlainSha1 hash;
  hash.update(base::as_bytes(bytes));
  const base::Sha1Digest digest = hash.finish();
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string raw_of(const object::Oid& id) {
  return std::string(base::as_text(id.bytes()));
}

// The distance to the base of an ofs-delta: seven bits a byte, most significant first, each further byte adding one.
std::string distance_bytes(std::uint64_t distance) {
  std::string bytes(1, static_cast<char>(distance & 0x7f));
  while ((distance >>= 7) != 0) bytes.insert(bytes.begin(), static_cast<char>(0x80 | (--distance & 0x7f)));
  return bytes;
}

std::string be32(std::uint32_t value) {
  std::string bytes(4, '\0');
  base::store_be32(bytes.data(), value);
  return bytes;
}

}  // namespace

object::Oid object_id(object::Kind kind, std::string_view content) {
  std::string text(object::kind_name(kind));
  text += ' ' + std::to_string(content.size()) + '\0';
  return object::Oid::from_raw(plain_sha1(text.append(content)).data());
}

std::string deflated(std::string_view content, int level) {
  uLongf size = ::compressBound(static_cast<uLong>(content.size()));
  std::string out(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
                  static_cast<uLong>(content.size()), level) != Z_OK) {
    throw std::runtime_error("cannot compress");
  }
  out.resize(size);
  return out;
}

std::string delta_size(std::uint64_t size) {
  std::string bytes;
  for (; size >= 0x80; size >>= 7) bytes += static_cast<char>(0x80 | (size & 0x7f));
  return bytes += static_cast<char>(size);
}

std::string copy_instruction(std::uint32_t offset, std::uint32_t size) {
  unsigned op = 0x80;
  std::string operands;
  for (unsigned i = 0; i < 4; ++i) {
    if ((offset >> (8 * i) & 0xff) == 0) continue;
    op |= 1U << i;
    operands += static_cast<char>(offset >> (8 * i));
  }
  for (unsigned i = 0; i < 3 && size != 0x10000; ++i) {
    if ((size >> (8 * i) & 0xff) == 0) continue;
    op |= 0x10U << i;
    operands += static_cast<char>(size >> (8 * i));
  }
  return static_cast<char>(op) + operands;
}

std::string make_delta(std::string_view base, std::string_view target) {
  const std::size_t shorter = std::min(base.size(), target.size());
  std::size_t front = 0;
  while (front < shorter && base[front] == target[front]) ++front;
  std::size_t back = 0;
  while (back < shorter - front && base[base.size() - 1 - back] == target[target.size() - 1 - back]) ++back;
  std::string delta = delta_size(base.size()) + delta_size(target.size());
  const auto copy = [&](std::size_t from, std::size_t to) {
    for (; from < to; from += std::min<std::size_t>(to - from, 0xffff)) {
      delta += copy_instruction(static_cast<std::uint32_t>(from),
                                static_cast<std::uint32_t>(std::min<std::size_t>(to - from, 0xffff)));
    }
  };
  copy(0, front);
  for (std::size_t at = front; at < target.size() - back;) {
    const std::size_t count = std::min<std::size_t>(target.size() - back - at, 127);
    delta += static_cast<char>(count);
    delta.append(target.substr(at, count));
    at += count;
  }
  copy(base.size() - back, base.size());
  return delta;
}

PackBuilder::PackBuilder() : bytes_("PACK" + be32(2) + be32(0)) {}

std::uint64_t PackBuilder::raw(unsigned type, std::uint64_t claimed_size, std::string_view between,
                               std::string_view stream) {
  const std::uint64_t offset = bytes_.size();
  unsigned byte = type << 4 | static_cast<unsigned>(claimed_size & 15);
  for (claimed_size >>= 4; claimed_size != 0; claimed_size >>= 7) {
    bytes_ += static_cast<char>(byte | 0x80);
    byte = static_cast<unsigned>(claimed_size & 0x7f);
  }
  bytes_ += static_cast<char>(byte);
  bytes_.append(between).append(stream);
  ++count_;
  return offset;
}

std::uint64_t PackBuilder::whole(object::Kind kind, std::string_view content) {
  return raw(static_cast<unsigned>(kind), content.size(), {}, deflated(content));
}

std::uint64_t PackBuilder::ofs_delta(std::uint64_t base_offset, std::string_view delta) {
  return raw(6, delta.size(), distance_bytes(bytes_.size() - base_offset), deflated(delta));
}

std::uint64_t PackBuilder::ref_delta(const object::Oid& base, std::string_view delta) {
  return raw(7, delta.size(), raw_of(base), deflated(delta));
}

std::string PackBuilder::finish(std::optional<std::uint32_t> claimed) const {
  std::string pack = bytes_;
  pack.replace(8, 4, be32(claimed.value_or(count_)));
  return pack += plain_sha1(pack);
}

std::string with_right_checksum(std::string pack) {
  pack.resize(pack.size() - object::Oid::raw_size);
  return pack += plain_sha1(pack);
}

std::string lay_out(const std::vector<PackObject>& objects, const std::vector<std::size_t>& order,
                    bool only_ref_deltas) {
  PackBuilder builder;
  std::vector<std::uint64_t> offsets(objects.size(), 0);
  for (const std::size_t number : order) {
    const PackObject& object = objects[number];
    if (!object.base) {
      offsets[number] = builder.whole(object.kind, object.content);
      continue;
    }
    const PackObject& base = objects[*object.base];
    const std::string delta = make_delta(base.content, object.content);
    const bool base_came = offsets[*object.base] != 0 && !only_ref_deltas;
    offsets[number] = base_came ? builder.ofs_delta(offsets[*object.base], delta) : builder.ref_delta(base.id(), delta);
  }
  return builder.finish();
}

std::vector<std::size_t> natural_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::string tree_entry(std::string_view octal_mode, std::string_view name, const object::Oid& id) {
  return std::string(octal_mode) + ' ' + std::string(name) + '\0' + raw_of(id);
}

std::string commit_text(const object::Oid& tree, const std::vector<object::Oid>& parents, std::string_view message) {
  std::string text = "tree " + tree.hex() + "\n";
  for (const object::Oid& parent : parents) text += "parent " + parent.hex() + "\n";
  text += "author A <a@x> 1700000000 +0000\ncommitter A <a@x> 1700000000 +0000\n\n";
  return text.append(message);
}

}  // namespace pfetch::test
