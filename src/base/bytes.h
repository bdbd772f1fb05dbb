// Bytes that come from outside and bytes that are shared between threads.
//
// `Bytes` is a borrowed view; it lives as long as what it was taken from. `SharedBytes` owns an immutable buffer by
// reference count: copying it is cheap and safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pfetch::base {

using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An immutable buffer of `size()` bytes with shared ownership. Empty by default.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::shared_ptr<const std::byte[]> data, std::size_t size) : data_(std::move(data)), size_(size) {}

  static SharedBytes copy_of(Bytes bytes);

  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Bytes view() const { return {data_.get(), size_}; }
  std::string_view text() const { return as_text(view()); }

 private:
  std::shared_ptr<const std::byte[]> data_;
  std::size_t size_ = 0;
};

// Big-endian integers, the byte order of every Git format. The pointer must have 2, 4 or 8 readable bytes.
inline std::uint16_t load_be16(const void* at) {
  const auto* p = static_cast<const unsigned char*>(at);
  return static_cast<std::uint16_t>((p[0] << 8) | p[1]);
}
inline std::uint32_t load_be32(const void* at) {
  const auto* p = static_cast<const unsigned char*>(at);
  return (std::uint32_t{p[0]} << 24) | (std::uint32_t{p[1]} << 16) | (std::uint32_t{p[2]} << 8) | p[3];
}
inline std::uint64_t load_be64(const void* at) {
  const auto* p = static_cast<const unsigned char*>(at);
  return (std::uint64_t{load_be32(p)} << 32) | load_be32(p + 4);
}
inline void store_be16(void* at, std::uint16_t value) {
  auto* p = static_cast<unsigned char*>(at);
  p[0] = static_cast<unsigned char>(value >> 8);
  p[1] = static_cast<unsigned char>(value);
}
inline void store_be32(void* at, std::uint32_t value) {
  auto* p = static_cast<unsigned char*>(at);
  for (int i = 0; i < 4; ++i) p[i] = static_cast<unsigned char>(value >> (24 - 8 * i));
}
inline void store_be64(void* at, std::uint64_t value) {
  store_be32(at, static_cast<std::uint32_t>(value >> 32));
  store_be32(static_cast<unsigned char*>(at) + 4, static_cast<std::uint32_t>(value));
}

}  // namespace pfetch::base
