#include "base/pkt_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/transport/script_source.h"

namespace pfetch::base {
namespace {

using test::pkt;
using test::raw_pkt;
using test::ScriptSource;

std::string message_of(const std::string& script) {
  ScriptSource source(script);
  PacketReader reader(source);
  return test::error_message([&] {
    while (reader.next_or_end().kind != PacketKind::end_of_stream) {
    }
  });
}

TEST(PacketReader, ReadsEveryKindWhateverTheCut) {
  const std::string script = pkt("hello") + "0001" + raw_pkt("") + raw_pkt("no newline") + "0002" + "0000";
  for (std::size_t piece = 1; piece <= script.size(); ++piece) {
    ScriptSource source(script, piece);
    PacketReader reader(source);
    EXPECT_EQ(reader.next().text(), "hello");
    EXPECT_EQ(reader.next().kind, PacketKind::delim);
    const Packet empty = reader.next();
    EXPECT_EQ(empty.kind, PacketKind::data);
    EXPECT_EQ(empty.payload, "");
    EXPECT_EQ(reader.next().text(), "no newline");
    EXPECT_EQ(reader.next().kind, PacketKind::response_end);
    EXPECT_EQ(reader.next().kind, PacketKind::flush);
    EXPECT_EQ(reader.next_or_end().kind, PacketKind::end_of_stream);
  }
}

TEST(PacketReader, TakesThePacketOfGreatestLength) {
  const std::string large(packet_payload_max, 'x');
  ScriptSource source(raw_pkt(large) + raw_pkt(large) + raw_pkt(large) + raw_pkt(large) + raw_pkt("end"), 100000);
  PacketReader reader(source);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(reader.next().payload, large);
  EXPECT_EQ(reader.next().payload, "end");
}

TEST(PacketReader, RefusesLengthsThatCannotBeAndSaysWhatItRead) {
  EXPECT_EQ(message_of("0003"), "protocol error: bad line length character: '0003'");
  EXPECT_EQ(message_of("fff1"), "protocol error: bad line length character: 'fff1'");
  EXPECT_EQ(message_of("Hell"), "protocol error: bad line length character: 'Hell'");
  EXPECT_EQ(message_of("\x01-+ "), "protocol error: bad line length character: '\\x01-+ '");
}

TEST(PacketReader, SaysThatTheOtherSideHungUp) {
  EXPECT_EQ(message_of("00"), "the remote end hung up unexpectedly");
  EXPECT_EQ(message_of("000ahel"), "the remote end hung up unexpectedly");
  ScriptSource nothing("");
  PacketReader reader(nothing);
  EXPECT_THROW(reader.next(), Error);
}

TEST(PacketReader, HandsAnOpenPacketOverInPieces) {
  const std::string script = raw_pkt("abcdefgh") + raw_pkt("ij") + "0000raw bytes";
  for (std::size_t piece = 1; piece <= script.size(); ++piece) {
    ScriptSource source(script, piece);
    PacketReader reader(source);
    std::string got;
    std::byte some[3];
    while (reader.open() == PacketKind::data) {
      while (reader.payload_left() > 0) {
        const std::size_t count = reader.read_payload(some);
        ASSERT_GT(count, 0U);
        got += as_text({some, count});
      }
    }
    EXPECT_EQ(got, "abcdefghij");
    std::string raw;
    while (const std::size_t count = reader.read_raw(some)) raw += as_text({some, count});
    EXPECT_EQ(raw, "raw bytes");
  }
}

// Scatters as a pipe would: it fills the first span, then the second.
class Scatter : public ScatterSource {
 public:
  explicit Scatter(std::string text) : text_(std::move(text)) {}
  std::size_t read(std::span<std::byte> into) override { return read_scattered(into, {}); }
  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte> second) override {
    std::size_t total = 0;
    for (const auto span : {first, second}) {
      const std::size_t count = std::min(span.size(), text_.size() - at_);
      if (count == 0) continue;
      std::memcpy(span.data(), text_.data() + at_, count);
      if (span.data() == first.data()) straight += count;
      at_ += count;
      total += count;
    }
    ++reads;
    return total;
  }
  std::size_t straight = 0;
  std::size_t reads = 0;

 private:
  std::string text_;
  std::size_t at_ = 0;
};

TEST(PacketReader, ReadsMostOfALargePayloadStraightIntoTheCallersMemory) {
  std::string script;
  std::string expected;
  for (int i = 0; i < 64; ++i) {
    const std::string payload(packet_payload_max, static_cast<char>('a' + i % 26));
    expected += payload;
    script += raw_pkt(payload);
  }
  Scatter source(script + "0000");
  PacketReader reader(source);
  std::string got(expected.size(), '\0');
  std::size_t at = 0;
  source.straight = 0;
  while (reader.open() == PacketKind::data) {
    while (reader.payload_left() > 0) {
      at += reader.read_payload(std::as_writable_bytes(std::span(got)).subspan(at));
    }
  }
  EXPECT_EQ(got, expected);
  EXPECT_GT(source.straight, expected.size() / 3);
  EXPECT_LE(source.reads, 66U);
}

TEST(PacketReader, ShowsEveryWholePacketToTheHook) {
  std::vector<std::string> seen;
  ScriptSource source(pkt("one") + "0000");
  PacketReader reader(source, [&](bool sent, PacketKind kind, std::string_view payload) {
    seen.push_back(std::string(sent ? ">" : "<") + (kind == PacketKind::flush ? "flush" : std::string(payload)));
  });
  reader.next();
  reader.next();
  EXPECT_EQ(seen, (std::vector<std::string>{"<one\n", "<flush"}));
}

TEST(PacketWriter, WritesLinesAndMarks) {
  int sent = 0;
  PacketWriter writer([&](bool is_sent, PacketKind, std::string_view) { sent += is_sent; });
  writer.line("want 1");
  writer.delim();
  writer.data("x");
  writer.flush();
  EXPECT_EQ(as_text(writer.bytes()), "000bwant 1\n00010005x0000");
  EXPECT_EQ(sent, 4);
  EXPECT_THROW(writer.data(std::string(packet_payload_max + 1, 'x')), Error);
}

}  // namespace
}  // namespace pfetch::base
