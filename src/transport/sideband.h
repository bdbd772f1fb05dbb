// The pack and the words that come with it, taken apart (gitprotocol-pack, "Packfile Data"; gitprotocol-v2,
// "packfile").
//
// Band 1 is the pack, band 2 what the server tells the user, band 3 its last words before it gives up. Nothing a server
// says reaches a terminal as it came: control characters and escape sequences are taken out. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/pkt_line.h"

namespace pfetch::transport {

// One cleaned line of the server's words, without its end. `end` is '\n', '\r' (a progress line that the next one
// overwrites), or 0 for a line that was cut: the stream ended, or the line was longer than message_line_bytes_max.
using RemoteMessage = std::function<void(std::string_view line, char end)>;

inline constexpr std::size_t message_line_bytes_max = 4096;

// `text` without control characters (but tabs and newlines), escape sequences and the C1 controls; a byte that is no
// UTF-8 becomes '?'.
std::string cleaned(std::string_view text);

// Throws ErrorCode::remote with the server's last words (band 3), cleaned.
[[noreturn]] void throw_last_words(std::string_view words);

// Puts lines together from pieces that end anywhere.
class MessageLines {
 public:
  explicit MessageLines(RemoteMessage message) : message_(std::move(message)) {}
  void add(std::string_view piece);
  // Hands over what is left.
  void finish();

 private:
  void emit(char end);

  RemoteMessage message_;
  std::string line_;
};

// The bytes of the pack. The reader must outlive it and not be used by others before read() has returned 0.
class PackStream : public base::ByteSource {
 public:
  PackStream(base::PacketReader& reader, bool has_sideband, RemoteMessage message);

  // Some bytes of the pack; 0 at the end. Fills as much of `into` as is at hand without waiting. Throws
  // ErrorCode::remote with the server's words (band 3) or when it hangs up, ErrorCode::protocol for an unknown band.
  std::size_t read(std::span<std::byte> into) override;
  // Waits until a byte of the pack is there, or its end, and hands out nothing; what comes before goes to `message`. A
  // pack without sideband is not waited for. Throws as read().
  void await_first_byte();
  // Bytes of the pack handed out so far.
  std::uint64_t bytes_received() const { return bytes_received_; }
  bool ended() const { return ended_; }

 private:
  bool open_pack_packet();  // false at the end of the stream
  std::string read_rest();  // what is left of the open packet
  [[noreturn]] void fail_with(std::string_view words);

  base::PacketReader& reader_;
  bool has_sideband_;
  MessageLines lines_;
  std::uint64_t bytes_received_ = 0;
  bool ended_ = false;
  bool pack_traced_ = false;
};

}  // namespace pfetch::transport
