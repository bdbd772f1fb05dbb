#include "base/pkt_line.h"

#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "base/error.h"

namespace pfetch::base {

namespace {

// While a payload goes straight to the caller, this much of what follows it may land in our buffer. Large enough to
// bring several small packets per system call, small enough that most bytes of large packets are not copied again.
constexpr std::size_t scatter_overflow_bytes = std::size_t{32} << 10;

constexpr std::size_t bad_length = ~std::size_t{0};

std::size_t parse_length(const std::byte* head) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < packet_head_bytes; ++i) {
    const int digit = hex_digit(static_cast<char>(head[i]));
    if (digit < 0) return bad_length;
    length = length * 16 + static_cast<unsigned>(digit);
  }
  return length;
}

[[noreturn]] void throw_bad_length(const std::byte* head) {
  std::string shown;
  for (std::size_t i = 0; i < packet_head_bytes; ++i) {
    const auto c = static_cast<unsigned char>(head[i]);
    if (c >= 0x20 && c < 0x7f) {
      shown += static_cast<char>(c);
    } else {
      constexpr char digits[] = "0123456789abcdef";
      shown.append("\\x").append(1, digits[c >> 4]).append(1, digits[c & 15]);
    }
  }
  throw Error(ErrorCode::protocol, "protocol error: bad line length character: '" + shown + "'");
}

[[noreturn]] void throw_hung_up() {
  throw Error(ErrorCode::remote, "the remote end hung up unexpectedly");
}

}  // namespace

PacketReader::PacketReader(ByteSource& source, PacketHook hook)
    : source_(source), hook_(std::move(hook)), buffer_(new std::byte[buffer_bytes]) {}

PacketReader::PacketReader(ScatterSource& source, PacketHook hook)
    : PacketReader(static_cast<ByteSource&>(source), std::move(hook)) {
  scatter_ = &source;
}

std::size_t PacketReader::refill(std::size_t bytes_max) {
  const std::size_t got = source_.read({buffer_.get() + filled_, std::min(bytes_max, buffer_bytes - filled_)});
  filled_ += got;
  return got;
}

bool PacketReader::have(std::size_t count, std::size_t bytes_max) {
  if (filled_ - taken_ >= count) return true;
  if (taken_ == filled_) {
    taken_ = filled_ = 0;
  } else if (taken_ + count > buffer_bytes) {
    std::memmove(buffer_.get(), buffer_.get() + taken_, filled_ - taken_);
    filled_ -= taken_;
    taken_ = 0;
  }
  while (filled_ - taken_ < count) {
    if (refill(bytes_max) == 0) return false;
  }
  return true;
}

PacketKind PacketReader::read_head(bool end_is_allowed, std::size_t bytes_max) {
  if (!have(packet_head_bytes, bytes_max)) {
    if (end_is_allowed && filled_ == taken_) return PacketKind::end_of_stream;
    throw_hung_up();
  }
  const std::byte* head = buffer_.get() + taken_;
  const std::size_t length = parse_length(head);
  if (length == bad_length || length == 3 || length > packet_bytes_max) throw_bad_length(head);
  taken_ += packet_head_bytes;
  payload_left_ = length < packet_head_bytes ? 0 : length - packet_head_bytes;
  switch (length) {
    case 0:
      return PacketKind::flush;
    case 1:
      return PacketKind::delim;
    case 2:
      return PacketKind::response_end;
    default:
      return PacketKind::data;
  }
}

Packet PacketReader::next() {
  Packet packet = next_or_end();
  if (packet.kind == PacketKind::end_of_stream) throw_hung_up();
  return packet;
}

Packet PacketReader::next_or_end() {
  Packet packet;
  packet.kind = read_head(true);
  if (packet.kind == PacketKind::end_of_stream) return packet;
  if (!have(payload_left_)) throw_hung_up();
  packet.payload = as_text({buffer_.get() + taken_, payload_left_});
  taken_ += payload_left_;
  payload_left_ = 0;
  traced(packet.kind, packet.payload);
  return packet;
}

PacketKind PacketReader::open() {
  return read_head(false);
}

std::size_t PacketReader::read_payload(std::span<std::byte> into) {
  into = into.first(std::min(into.size(), payload_left_));
  if (into.empty()) return 0;
  const std::size_t got = read_through(into, scatter_overflow_bytes);
  if (got == 0) throw_hung_up();
  payload_left_ -= got;
  return got;
}

std::size_t PacketReader::read_raw(std::span<std::byte> into) {
  return into.empty() ? 0 : read_through(into, 0);
}

// Bytes into `into`: those that wait in the buffer; with none there, from the source, straight if it can scatter.
std::size_t PacketReader::read_through(std::span<std::byte> into, std::size_t overflow_bytes) {
  if (taken_ == filled_) {
    taken_ = filled_ = 0;
    if (overflow_bytes == 0) return source_.read(into);
    if (scatter_ != nullptr) {
      const std::size_t got = scatter_->read_scattered(into, {buffer_.get(), overflow_bytes});
      if (got <= into.size()) return got;
      filled_ = got - into.size();
      return into.size();
    }
    if (refill(buffer_bytes) == 0) return 0;
  }
  const std::size_t count = std::min(into.size(), filled_ - taken_);
  std::memcpy(into.data(), buffer_.get() + taken_, count);
  taken_ += count;
  return count;
}

void PacketWriter::data(std::string_view payload) {
  if (payload.size() > packet_payload_max) {
    throw Error(ErrorCode::usage, "a protocol line of " + std::to_string(payload.size()) + " bytes is too long");
  }
  constexpr char digits[] = "0123456789abcdef";
  const std::size_t length = payload.size() + packet_head_bytes;
  for (int shift = 12; shift >= 0; shift -= 4) buffer_ += digits[(length >> shift) & 15];
  buffer_.append(payload);
  if (hook_) hook_(true, PacketKind::data, payload);
}

void PacketWriter::line(std::string_view text) {
  std::string payload(text);
  payload += '\n';
  data(payload);
}

void PacketWriter::special(std::string_view head, PacketKind kind) {
  buffer_.append(head);
  if (hook_) hook_(true, kind, {});
}

}  // namespace pfetch::base
