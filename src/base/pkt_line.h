// Git's packet lines: four hexadecimal digits of length, then that many bytes less four (gitprotocol-common).
//
// `PacketReader` reads them from any ByteSource. Text packets come whole (`next`); the large ones of a pack are opened
// (`open`) and read piece by piece (`read_payload`), straight from the source into the caller's memory where the source
// can scatter a read (ScatterSource), so that a pack byte is copied at most once. `PacketWriter` collects packets in a
// buffer, which the caller sends in one piece. A PacketHook sees every packet that passes, for GIT_TRACE_PACKET.
//
// Bounds: a packet is at most `packet_bytes_max`; a reader owns one buffer of `PacketReader::buffer_bytes`. One thread
// at a time. Throws ErrorCode::protocol for a length that cannot be and ErrorCode::remote when the stream ends early.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_source.h"

namespace pfetch::base {

inline constexpr std::size_t packet_head_bytes = 4;
inline constexpr std::size_t packet_bytes_max = 65520;
inline constexpr std::size_t packet_payload_max = packet_bytes_max - packet_head_bytes;

enum class PacketKind {
  data,
  flush,          // 0000
  delim,          // 0001, between the sections of protocol v2
  response_end,   // 0002, ends a response over a stateless connection
  end_of_stream,  // no packet: the other side closed between two of them
};

struct Packet {
  PacketKind kind = PacketKind::end_of_stream;
  std::string_view payload;  // valid until the reader is used again

  // The payload without the one newline that Git lets end a text packet.
  std::string_view text() const { return payload.ends_with('\n') ? payload.substr(0, payload.size() - 1) : payload; }
};

// Sees packets as they pass: whether we sent it, its kind, and its payload (empty unless `data`).
using PacketHook = std::function<void(bool sent, PacketKind kind, std::string_view payload)>;

// A source that can put the head of one read into `first` and what is left over into `second` (readv).
class ScatterSource : public ByteSource {
 public:
  // As read(); fills `first` before `second`. Returns the sum.
  virtual std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte> second) = 0;
};

class PacketReader {
 public:
  static constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

  // The source must outlive the reader.
  explicit PacketReader(ByteSource& source, PacketHook hook = {});
  explicit PacketReader(ScatterSource& source, PacketHook hook = {});

  // The next packet, whole. Throws when the stream ends, be it before or within the packet.
  Packet next();
  // As next(), but a stream that ends exactly between two packets gives PacketKind::end_of_stream.
  Packet next_or_end();

  // Reads only the head of the next packet; its payload then comes by read_payload(). The hook is not called: the
  // caller knows what the bytes are, and calls traced().
  PacketKind open();
  // Bytes of the open packet that were not read yet.
  std::size_t payload_left() const { return payload_left_; }
  // Some bytes of the open packet, at least one; 0 only when none is left or `into` is empty.
  std::size_t read_payload(std::span<std::byte> into);
  // Bytes at hand without asking the source.
  std::size_t buffered() const { return filled_ - taken_; }

  // Bytes that are no packets (a pack without side-band), from the reader's buffer first. 0 at the end.
  std::size_t read_raw(std::span<std::byte> into);

  void traced(PacketKind kind, std::string_view payload) const {
    if (hook_) hook_(false, kind, payload);
  }

 private:
  // Adds at most `bytes_max` to the buffer; returns the count that came, 0 at the end of the stream.
  std::size_t refill(std::size_t bytes_max);
  // Makes `count` bytes contiguous in the buffer, in reads of at most `bytes_max`; false if the stream ends before.
  bool have(std::size_t count, std::size_t bytes_max = buffer_bytes);
  PacketKind read_head(bool end_is_allowed, std::size_t bytes_max = buffer_bytes);
  std::size_t read_through(std::span<std::byte> into, std::size_t overflow_bytes);

  ByteSource& source_;
  ScatterSource* scatter_ = nullptr;
  PacketHook hook_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t taken_ = 0;  // buffer_[taken_, filled_) is not used yet
  std::size_t filled_ = 0;
  std::size_t payload_left_ = 0;
};

class PacketWriter {
 public:
  explicit PacketWriter(PacketHook hook = {}) : hook_(std::move(hook)) {}

  // One packet with `payload` as it is; throws ErrorCode::usage over packet_payload_max.
  void data(std::string_view payload);
  // One text packet: `text` and a newline.
  void line(std::string_view text);
  void flush() { special("0000", PacketKind::flush); }
  void delim() { special("0001", PacketKind::delim); }

  bool empty() const { return buffer_.empty(); }
  Bytes bytes() const { return as_bytes(buffer_); }
  void clear() { buffer_.clear(); }

 private:
  void special(std::string_view head, PacketKind kind);

  PacketHook hook_;
  std::string buffer_;
};

}  // namespace pfetch::base
