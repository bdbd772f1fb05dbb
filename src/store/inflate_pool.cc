#include "store/inflate_pool.h"

#include <fmt/format.h>

#include <new>

#include "base/error.h"

namespace pfetch::store {

namespace {
constexpr std::uint64_t buffer_bytes_max = std::uint64_t{1} << 40;
}  // namespace

std::unique_ptr<InflateTools> InflatePool::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto tools = std::move(idle_.back());
      idle_.pop_back();
      return tools;
    }
  }
  return std::make_unique<InflateTools>();
}

void InflatePool::give_back(std::unique_ptr<InflateTools> tools) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(tools));
  } catch (const std::bad_alloc&) {
    // Then this one is freed, and the next borrower makes another.
  }
}

std::shared_ptr<std::byte[]> allocate_untouched(std::uint64_t size) {
  if (size <= buffer_bytes_max) {
    try {
      return std::make_shared_for_overwrite<std::byte[]>(size);
    } catch (const std::bad_alloc&) {
    }
  }
  throw Error(ErrorCode::refused, fmt::format("an object of {} bytes does not fit in memory", size));
}

}  // namespace pfetch::store
