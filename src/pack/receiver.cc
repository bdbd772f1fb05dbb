#include "pack/receiver.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/fd.h"
#include "base/trace.h"

namespace pfetch::pack {

namespace {

constexpr std::size_t trailer_size = 20;
constexpr std::size_t read_max = std::size_t{1} << 18;             // bytes per read: soon enough for the scanner
constexpr std::uint64_t writeback_every = std::uint64_t{8} << 20;  // bytes

}  // namespace

Receiver::Receiver(const ReceiverOptions& options, base::ByteSource& source, base::Ring& ring, IngestCounters& counters)
    : options_(options), source_(source), ring_(ring), counters_(counters) {}

void Receiver::run() {
  const base::TraceSpan span("receive");
  std::uint64_t total = 0;
  std::uint64_t written_back = 0;
  for (;;) {
    auto space = ring_.wait_space();
    space = space.first(std::min(space.size(), read_max));
    const std::size_t count = source_.read(space);
    if (count == 0) break;
    const base::Bytes fresh = space.first(count);
    total += count;
    if (options_.max_input_bytes != 0 && total > options_.max_input_bytes) {
      throw Error(ErrorCode::refused,
                  fmt::format("pack exceeds maximum allowed size ({} bytes)", options_.max_input_bytes));
    }
    if (options_.write_fd >= 0) {
      base::write_all(options_.write_fd, fresh, options_.path);
      // Start writing back now, so that little is left to wait for when the pack must be durable.
      if (total - written_back >= writeback_every) {
        ::sync_file_range(options_.write_fd, static_cast<off_t>(written_back), static_cast<off_t>(total - written_back),
                          SYNC_FILE_RANGE_WRITE);
        written_back = total;
      }
    }
    counters_.bytes_received.store(total, std::memory_order_relaxed);
    base::trace_counter("bytes received", static_cast<std::int64_t>(total));
    ring_.produce(count);
    add_to_checksum(fresh);
  }
  computed_ = checksum_.finish();
  ring_.end();
}

void Receiver::add_to_checksum(base::Bytes bytes) {
  if (bytes.size() >= trailer_size) {
    checksum_.update(base::as_bytes(held_back_));
    checksum_.update(bytes.first(bytes.size() - trailer_size));
    held_back_ = base::as_text(bytes.last(trailer_size));
    return;
  }
  held_back_ += base::as_text(bytes);
  if (held_back_.size() > trailer_size) {
    const std::size_t over = held_back_.size() - trailer_size;
    checksum_.update(base::as_bytes(std::string_view(held_back_).substr(0, over)));
    held_back_.erase(0, over);
  }
}

base::Sha1Digest Receiver::trailer() const {
  base::Sha1Digest digest{};
  std::memcpy(digest.data(), held_back_.data(), std::min(held_back_.size(), digest.size()));
  return digest;
}

}  // namespace pfetch::pack
