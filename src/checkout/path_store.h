// Keeps paths in memory, one after the other in a few large blocks.
//
// A view that `keep` returns stays where it is until the store is destroyed, even when the store is moved. For one
// thread at a time.
#pragma once

#include <cstring>
#include <memory>
#include <memory_resource>
#include <string_view>

namespace pfetch::checkout {

class PathStore {
 public:
  // Makes room for about `bytes` at once.
  explicit PathStore(std::size_t bytes = 0)
      : blocks_(
            std::make_unique<std::pmr::monotonic_buffer_resource>(bytes < block_bytes_min ? block_bytes_min : bytes)) {}

  // `head` and `tail` joined.
  std::string_view keep(std::string_view head, std::string_view tail = {}) {
    const std::size_t size = head.size() + tail.size();
    if (size == 0) return {};
    auto* const at = static_cast<char*>(blocks_->allocate(size, 1));
    if (!head.empty()) std::memcpy(at, head.data(), head.size());
    if (!tail.empty()) std::memcpy(at + head.size(), tail.data(), tail.size());
    return {at, size};
  }

 private:
  static constexpr std::size_t block_bytes_min = 4096;

  std::unique_ptr<std::pmr::monotonic_buffer_resource> blocks_;
};

}  // namespace pfetch::checkout
