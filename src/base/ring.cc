#include "base/ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>

#include "base/error.h"
#include "base/fd.h"

namespace pfetch::base {

namespace {

std::byte* map_twice(std::size_t capacity) {
  const UniqueFd memory(::memfd_create("ring", MFD_CLOEXEC));
  if (!memory || ::ftruncate(memory.get(), static_cast<off_t>(capacity)) != 0) {
    throw_errno(errno, "could not create", "ring buffer");
  }
  void* both = ::mmap(nullptr, 2 * capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (both == MAP_FAILED) throw_errno(errno, "could not map", "ring buffer");
  auto* data = static_cast<std::byte*>(both);
  for (std::byte* half : {data, data + capacity}) {
    if (::mmap(half, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory.get(), 0) == MAP_FAILED) {
      ::munmap(data, 2 * capacity);
      throw_errno(errno, "could not map", "ring buffer");
    }
  }
  return data;
}

}  // namespace

Ring::Ring(std::size_t capacity) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  capacity_ = (capacity + page - 1) / page * page;
  data_ = map_twice(capacity_);
}

Ring::~Ring() {
  ::munmap(data_, 2 * capacity_);
}

std::span<std::byte> Ring::wait_space() {
  std::unique_lock lock(mutex_);
  writer_waits_ = true;
  changed_.wait(lock, [&] { return aborted_ || produced_ - consumed_ < capacity_; });
  writer_waits_ = false;
  if (aborted_) throw Error(ErrorCode::cancelled, "interrupted");
  return {data_ + produced_ % capacity_, capacity_ - static_cast<std::size_t>(produced_ - consumed_)};
}

void Ring::produce(std::size_t count) {
  const std::lock_guard lock(mutex_);
  produced_ += count;
  assert(produced_ - consumed_ <= capacity_);
  if (reader_waits_for_ != 0 && produced_ >= reader_waits_for_) changed_.notify_all();
}

void Ring::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

Bytes Ring::wait_data(std::size_t at_least) {
  assert(at_least <= capacity_);
  std::unique_lock lock(mutex_);
  const std::uint64_t wanted = consumed_ + at_least;
  if (produced_ < wanted && !ended_) {
    reader_waits_for_ = wanted;
    changed_.wait(lock, [&] { return aborted_ || ended_ || produced_ >= wanted; });
    reader_waits_for_ = 0;
  }
  if (aborted_) throw Error(ErrorCode::cancelled, "interrupted");
  return {data_ + consumed_ % capacity_, static_cast<std::size_t>(produced_ - consumed_)};
}

void Ring::consume(std::size_t count) {
  const std::lock_guard lock(mutex_);
  consumed_ += count;
  assert(consumed_ <= produced_);
  if (writer_waits_) changed_.notify_all();
}

bool Ring::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Ring::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  changed_.notify_all();
}

}  // namespace pfetch::base
