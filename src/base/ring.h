// A bounded ring of bytes between one writer and one reader, mapped twice in a row so that whatever is readable (or
// writable) is always one contiguous span.
//
// One thread calls the writer's members, one the reader's; `abort` may be called from any thread. Both sides block on a
// condition variable. Memory is an anonymous file (memfd), never the file of the pack.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/bytes.h"

namespace pfetch::base {

class Ring {
 public:
  // `capacity` bytes, rounded up to whole pages.
  explicit Ring(std::size_t capacity);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  std::size_t capacity() const { return capacity_; }

  // Writer: blocks until there is free space; the span is contiguous. Throws ErrorCode::cancelled after `abort`.
  std::span<std::byte> wait_space();
  // Writer: the first `count` bytes of that span are now readable.
  void produce(std::size_t count);
  // Writer: no more bytes will come.
  void end();

  // Reader: blocks until `at_least` bytes are readable or the stream has ended (then fewer may be there). Returns all
  // that is readable. `at_least` must not exceed the capacity. Throws ErrorCode::cancelled after `abort`.
  Bytes wait_data(std::size_t at_least);
  // Reader: the first `count` readable bytes may be overwritten.
  void consume(std::size_t count);
  // Reader: whether the writer has ended; what is readable then is the rest.
  bool ended();

  void abort();

 private:
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::uint64_t produced_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t reader_waits_for_ = 0;  // position; 0 when the reader does not wait
  bool writer_waits_ = false;
  bool ended_ = false;
  bool aborted_ = false;
};

}  // namespace pfetch::base
