// Reading from and writing to a descriptor that does not block (a pipe to a child, a socket), waiting in poll(2) where
// needed.
//
// Waits end with ErrorCode::cancelled when `cancel` is requested. Other trouble throws ErrorCode::io, naming `whom`:
// "could not read from 'the other side'".
#pragma once

#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/process.h"

namespace pfetch::base {

// Some bytes, the head into `first` and the rest into `second`; 0 at the end of the stream. Reads first and waits only
// when nothing is there, so that a busy stream costs one system call for each piece.
std::size_t read_stream(int fd, std::span<std::byte> first, std::span<std::byte> second, const Cancellation& cancel,
                        std::string_view whom);

// Sends what it can; returns the count, which is less than bytes.size() only when the other side has closed.
std::size_t write_stream(int fd, Bytes bytes, const Cancellation& cancel, std::string_view whom);

// Makes the pipes to and from a child such descriptors, and asks for larger ones, where the system gives so much: more
// for each wake-up.
void make_streams(const Process& child);

// As child.wait(), with a wait that a cancellation ends.
int wait_for_exit(Process& child, const Cancellation& cancel);

}  // namespace pfetch::base
