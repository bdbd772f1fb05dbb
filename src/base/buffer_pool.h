// Buffers for objects, used again instead of being given back to the system.
//
// The problem: a clone inflates every object into a buffer of its own, which lives for a moment and is let go by
// another thread. From a general allocator each such buffer is either a fresh mapping, whose pages the kernel must find
// and clear (a quarter of a million page faults for the Linux tree), or a hole that counts as memory. The way: a buffer
// that is let go stays idle here, by size class, for the next of its size. Buffers in use and idle ones have one budget
// together: where those in use leave no room, what has been idle longest goes back to the system first. Buffers in use
// are never refused; who asks for them has bounds of its own.
//
// Thread safe. Buffers keep their pool alive, and may outlive every other owner of it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/bytes.h"

namespace pfetch::base {

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  explicit BufferPool(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // A buffer of `size` bytes, not cleared: fill `*writable`, then hand the SharedBytes on. The pool itself must be
  // owned by a shared_ptr. Throws ErrorCode::io when memory is short.
  SharedBytes allocate(std::uint64_t size, std::byte** writable);

  struct Usage {
    std::size_t live_bytes = 0;  // of buffers in use
    std::size_t idle_bytes = 0;  // of buffers that wait to be used again
  };
  Usage usage() const;

 private:
  // Four classes for each power of two: a buffer is at most a quarter larger than asked for.
  static constexpr unsigned smallest_bits = 10;  // 1 KiB; less is the general allocator's work
  static constexpr unsigned largest_bits = 25;   // 32 MiB; more is too rare to keep
  static constexpr std::size_t class_count = 4 * (largest_bits - smallest_bits) + 1;
  struct Buffer {
    std::byte* data = nullptr;
    std::size_t size_class = 0;
  };
  struct Idle {
    std::byte* data;
    std::uint64_t since;  // a count of buffers given back
  };

  static std::size_t class_for(std::size_t size);
  static std::size_t class_bytes(std::size_t size_class);
  static void release(const Buffer& buffer) noexcept;

  Buffer take(std::size_t size_class);
  void give_back(const Buffer& buffer) noexcept;
  // The buffers that have waited longest, so many that `fresh_bytes` more have room. The caller holds the lock, and
  // releases them after it.
  std::vector<Buffer> take_oldest_for(std::size_t fresh_bytes);

  const std::size_t budget_bytes_;
  mutable std::mutex mutex_;  // guards all below
  std::array<std::deque<Idle>, class_count> idle_;
  Usage usage_;
  std::uint64_t given_back_ = 0;
};

}  // namespace pfetch::base
