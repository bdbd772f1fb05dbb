#include "transport/sideband.h"

#include "base/error.h"

namespace pfetch::transport {

namespace {

constexpr char escape = '\x1b';

bool in_range(char c, unsigned char first, unsigned char last) {
  const auto u = static_cast<unsigned char>(c);
  return u >= first && u <= last;
}

// The length of the escape sequence at the start of `text` (ECMA-48): CSI, a string such as OSC, or two bytes.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t i = 2;
  if (text[1] == '[') {
    while (i < text.size() && in_range(text[i], 0x20, 0x3f)) ++i;
    return i < text.size() && in_range(text[i], 0x40, 0x7e) ? i + 1 : i;
  }
  if (text[1] == ']' || text[1] == 'P' || text[1] == '_' || text[1] == '^' || text[1] == 'X') {
    for (; i < text.size() && text[i] != '\n'; ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == escape) return std::min(i + 2, text.size());
    }
    return i;
  }
  return in_range(text[1], 0x20, 0x7e) ? 2 : 1;
}

// The length of the UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!in_range(text[i], 0x80, 0xbf)) return 0;
  }
  if (lead == 0xe0 && !in_range(text[1], 0xa0, 0xbf)) return 0;
  if (lead == 0xed && !in_range(text[1], 0x80, 0x9f)) return 0;
  if (lead == 0xf0 && !in_range(text[1], 0x90, 0xbf)) return 0;
  if (lead == 0xf4 && !in_range(text[1], 0x80, 0x8f)) return 0;
  return length;
}

}  // namespace

std::string cleaned(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    std::size_t length = 1;
    if (text[0] == escape) {
      length = escape_length(text);
    } else if (text[0] == '\t' || text[0] == '\n' || in_range(text[0], 0x20, 0x7e)) {
      clean += text[0];
    } else if (in_range(text[0], 0x80, 0xff)) {
      length = utf8_length(text);
      const bool is_c1 = length == 2 && text[0] == '\xc2' && in_range(text[1], 0x80, 0x9f);
      if (length == 0) {
        clean += '?';
        length = 1;
      } else if (!is_c1) {
        clean.append(text.substr(0, length));
      }
    }
    text.remove_prefix(length);
  }
  return clean;
}

void throw_last_words(std::string_view words) {
  std::string clean = cleaned(words);
  while (clean.ends_with('\n')) clean.pop_back();
  throw Error(ErrorCode::remote, "remote error: " + clean);
}

void MessageLines::add(std::string_view piece) {
  for (const char c : piece) {
    if (c == '\n' || c == '\r') {
      emit(c);
    } else {
      line_ += c;
      if (line_.size() >= message_line_bytes_max) emit(0);
    }
  }
}

void MessageLines::finish() {
  if (!line_.empty()) emit(0);
}

void MessageLines::emit(char end) {
  const std::string line = cleaned(line_);
  line_.clear();
  if (message_) message_(line, end);
}

PackStream::PackStream(base::PacketReader& reader, bool has_sideband, RemoteMessage message)
    : reader_(reader), has_sideband_(has_sideband), lines_(std::move(message)) {}

std::size_t PackStream::read(std::span<std::byte> into) {
  std::size_t total = 0;
  while (total < into.size() && !ended_) {
    if (!has_sideband_) {
      total = reader_.read_raw(into);
      ended_ = total == 0;
      break;
    }
    const bool is_between = reader_.payload_left() == 0;
    // With something to hand out already, go on only as long as that cannot wait for the other side.
    if (total > 0 && reader_.buffered() <= (is_between ? base::packet_head_bytes : 0)) break;
    if (is_between) {
      if (!open_pack_packet()) break;
    } else {
      total += reader_.read_payload(into.subspan(total));
    }
  }
  bytes_received_ += total;
  return total;
}

void PackStream::await_first_byte() {
  if (!has_sideband_) return;
  while (!ended_ && reader_.payload_left() == 0) open_pack_packet();
}

bool PackStream::open_pack_packet() {
  const base::PacketKind kind = reader_.open();
  if (kind == base::PacketKind::flush) {
    reader_.traced(kind, {});
    ended_ = true;
    lines_.finish();
    return false;
  }
  std::byte band{};
  if (kind != base::PacketKind::data || reader_.read_payload({&band, 1}) == 0) {
    throw Error(ErrorCode::protocol, "protocol error: no band designator");
  }
  switch (static_cast<int>(band)) {
    case 1:
      if (!pack_traced_) reader_.traced(kind, "PACK ...");
      pack_traced_ = true;
      return true;
    case 2: {
      const std::string words = read_rest();
      reader_.traced(kind, "\2" + words);
      lines_.add(words);
      return true;
    }
    case 3:
      fail_with(read_rest());
    default:
      throw Error(ErrorCode::protocol, "protocol error: bad band #" + std::to_string(static_cast<int>(band)));
  }
}

std::string PackStream::read_rest() {
  std::string rest(reader_.payload_left(), '\0');
  for (std::size_t at = 0; at < rest.size();) {
    at += reader_.read_payload(std::as_writable_bytes(std::span(rest)).subspan(at));
  }
  return rest;
}

void PackStream::fail_with(std::string_view words) {
  reader_.traced(base::PacketKind::data, "\3" + std::string(words));
  lines_.finish();
  throw_last_words(words);
}

}  // namespace pfetch::transport
