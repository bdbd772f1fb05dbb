#include "base/buffer_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <bit>
#include <new>

#include "base/error.h"

namespace pfetch::base {

namespace {

// From here on a buffer is a mapping of its own, of huge pages where the system has them: 512 page faults become one.
constexpr std::size_t mapped_from = std::size_t{1} << 20;  // bytes
constexpr std::size_t huge_from = std::size_t{2} << 20;    // bytes

std::byte* obtain(std::size_t bytes) {
  if (bytes < mapped_from) return static_cast<std::byte*>(::operator new(bytes));
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= huge_from) ::madvise(data, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(data);
}

}  // namespace

void BufferPool::release(const Buffer& buffer) noexcept {
  const std::size_t bytes = class_bytes(buffer.size_class);
  if (bytes < mapped_from) {
    ::operator delete(buffer.data);
  } else {
    ::munmap(buffer.data, bytes);
  }
}

std::size_t BufferPool::class_for(std::size_t size) {
  if (size <= std::size_t{1} << smallest_bits) return 0;
  const auto bits = static_cast<unsigned>(std::bit_width(size - 1)) - 1;  // of the power of two below
  const std::size_t quarter = (size - 1 - (std::size_t{1} << bits)) >> (bits - 2);
  return 4 * (bits - smallest_bits) + quarter + 1;
}

std::size_t BufferPool::class_bytes(std::size_t size_class) {
  if (size_class == 0) return std::size_t{1} << smallest_bits;
  const std::size_t bits = (size_class - 1) / 4 + smallest_bits;
  return (std::size_t{1} << bits) + (((size_class - 1) % 4 + 1) << (bits - 2));
}

BufferPool::~BufferPool() {
  for (std::size_t size_class = 0; size_class < class_count; ++size_class) {
    for (const Idle& idle : idle_[size_class]) release({idle.data, size_class});
  }
}

SharedBytes BufferPool::allocate(std::uint64_t size, std::byte** writable) {
  try {
    if (size < (std::size_t{1} << smallest_bits) || size > (std::size_t{1} << largest_bits)) {
      auto data = std::make_shared_for_overwrite<std::byte[]>(size);
      *writable = data.get();
      return {std::move(data), static_cast<std::size_t>(size)};
    }
    const Buffer buffer = take(class_for(size));
    *writable = buffer.data;
    std::shared_ptr<const std::byte[]> owned(
        buffer.data, [pool = shared_from_this(), buffer](const std::byte*) { pool->give_back(buffer); });
    return {std::move(owned), static_cast<std::size_t>(size)};
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::io, fmt::format("out of memory, an object needs {} bytes", size));
  }
}

BufferPool::Buffer BufferPool::take(std::size_t size_class) {
  const std::size_t bytes = class_bytes(size_class);
  std::vector<Buffer> outlived;
  {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[size_class];
    if (!idle.empty()) {
      std::byte* data = idle.back().data;  // the last one given back: its pages may still be in a cache
      idle.pop_back();
      usage_.idle_bytes -= bytes;
      usage_.live_bytes += bytes;
      return {data, size_class};
    }
    outlived = take_oldest_for(bytes);
  }
  for (const Buffer& old : outlived) release(old);
  const Buffer fresh{obtain(bytes), size_class};
  const std::lock_guard lock(mutex_);
  usage_.live_bytes += bytes;
  return fresh;
}

void BufferPool::give_back(const Buffer& buffer) noexcept {
  const std::size_t bytes = class_bytes(buffer.size_class);
  {
    const std::lock_guard lock(mutex_);
    usage_.live_bytes -= bytes;
    if (usage_.live_bytes + usage_.idle_bytes + bytes <= budget_bytes_) {
      try {
        idle_[buffer.size_class].push_back({buffer.data, given_back_++});
        usage_.idle_bytes += bytes;
        return;
      } catch (const std::bad_alloc&) {  // no memory to note it: then it goes
      }
    }
  }
  release(buffer);
}

std::vector<BufferPool::Buffer> BufferPool::take_oldest_for(std::size_t fresh_bytes) {
  std::vector<Buffer> taken;
  while (usage_.idle_bytes != 0 && usage_.live_bytes + usage_.idle_bytes + fresh_bytes > budget_bytes_) {
    std::size_t oldest = class_count;
    for (std::size_t at = 0; at < class_count; ++at) {
      if (idle_[at].empty()) continue;
      if (oldest == class_count || idle_[at].front().since < idle_[oldest].front().since) oldest = at;
    }
    taken.push_back({idle_[oldest].front().data, oldest});
    idle_[oldest].pop_front();
    usage_.idle_bytes -= class_bytes(oldest);
  }
  return taken;
}

BufferPool::Usage BufferPool::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

}  // namespace pfetch::base
