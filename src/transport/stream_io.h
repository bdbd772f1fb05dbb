// Reading from and writing to a descriptor that does not block (a pipe, a socket), waiting in poll(2) where needed.
//
// Waits end with ErrorCode::cancelled when `cancel` is requested. Other trouble throws ErrorCode::io.
#pragma once

#include <span>

#include "base/bytes.h"
#include "base/cancel.h"

namespace pfetch::transport {

// Some bytes, the head into `first` and the rest into `second`; 0 at the end of the stream. Reads first and waits only
// when nothing is there, so that a busy stream costs one system call for each piece.
std::size_t read_scattered(int fd, std::span<std::byte> first, std::span<std::byte> second,
                           const base::Cancellation& cancel);

// Sends what it can; returns the count, which is less than bytes.size() only when the other side has closed.
std::size_t write_all(int fd, base::Bytes bytes, const base::Cancellation& cancel);

}  // namespace pfetch::transport
