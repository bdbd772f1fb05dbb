// A ByteSource that plays a text, cut into pieces of a given size, so that every boundary of a conversation is met.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/pkt_line.h"

namespace pfetch::test {

class ScriptSource : public base::ByteSource {
 public:
  explicit ScriptSource(std::string text, std::size_t piece_bytes = 1) : text_(std::move(text)), piece_(piece_bytes) {}

  std::size_t read(std::span<std::byte> into) override {
    ++reads;
    const std::size_t count = std::min({into.size(), piece_, text_.size() - at_});
    std::memcpy(into.data(), text_.data() + at_, count);
    at_ += count;
    return count;
  }

  std::size_t reads = 0;

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

// `text` as one packet, newline included.
inline std::string pkt(std::string_view text) {
  base::PacketWriter writer;
  writer.line(text);
  return std::string(base::as_text(writer.bytes()));
}

// `payload` as one packet as it is.
inline std::string raw_pkt(std::string_view payload) {
  base::PacketWriter writer;
  writer.data(payload);
  return std::string(base::as_text(writer.bytes()));
}

}  // namespace pfetch::test
