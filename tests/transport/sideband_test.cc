#include "transport/sideband.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/transport/fake_connection.h"

namespace pfetch::transport {
namespace {

using test::error_message;
using test::raw_pkt;
using test::ScriptSource;

struct Heard {
  std::vector<std::string> lines;
  RemoteMessage listener() {
    return [this](std::string_view line, char end) {
      lines.push_back(std::string(line) + (end == '\n' ? "\\n" : end == '\r' ? "\\r" : "|"));
    };
  }
};

TEST(PackStream, TakesTheBandsApartWhateverTheCut) {
  const std::string script = raw_pkt("\2Counting: 50%\rCoun") + raw_pkt("\1PACK") + raw_pkt("\2ting: done\nend") +
                             raw_pkt("\1") + raw_pkt("\1data") + "0000" + "after";
  for (std::size_t piece = 1; piece <= script.size(); ++piece) {
    for (const std::size_t into : {1, 3, 100}) {
      ScriptSource source(script, piece);
      base::PacketReader reader(source);
      Heard heard;
      PackStream stream(reader, true, heard.listener());
      EXPECT_EQ(test::read_all(stream, into), "PACKdata");
      EXPECT_EQ(stream.bytes_received(), 8U);
      EXPECT_TRUE(stream.ended());
      EXPECT_EQ(heard.lines, (std::vector<std::string>{"Counting: 50%\\r", "Counting: done\\n", "end|"}));
    }
  }
}

TEST(PackStream, FillsWhatIsAtHandInOneCall) {
  ScriptSource source(raw_pkt("\1one") + raw_pkt("\2words\n") + raw_pkt("\1two") + "0000", 1000);
  base::PacketReader reader(source);
  PackStream stream(reader, true, {});
  std::byte into[64];
  EXPECT_EQ(stream.read(into), 6U);
  EXPECT_EQ(stream.read(into), 0U);
}

TEST(PackStream, WithoutSidebandEndsWithTheStream) {
  for (const std::size_t piece : {1, 4, 100}) {
    ScriptSource source("PACKdata", piece);
    base::PacketReader reader(source);
    PackStream stream(reader, false, {});
    EXPECT_EQ(test::read_all(stream), "PACKdata");
  }
}

std::string failure_of(const std::string& script) {
  ScriptSource source(script, 5);
  base::PacketReader reader(source);
  PackStream stream(reader, true, {});
  return error_message([&] { test::read_all(stream); });
}

TEST(PackStream, GivesTheServersLastWordsCleaned) {
  EXPECT_EQ(failure_of(raw_pkt("\1PACK") + raw_pkt("\3no \x1b[31mway\x1b[0m\x07\n")), "remote error: no way");
}

TEST(PackStream, RefusesUnknownBandsAndStreamsThatStop) {
  EXPECT_EQ(failure_of(raw_pkt("\4what")), "protocol error: bad band #4");
  EXPECT_EQ(failure_of("0004"), "protocol error: no band designator");
  EXPECT_EQ(failure_of("0001"), "protocol error: no band designator");
  EXPECT_EQ(failure_of(raw_pkt("\1PACK")), "the remote end hung up unexpectedly");
  EXPECT_EQ(failure_of("0009\1PA"), "the remote end hung up unexpectedly");
}

TEST(Cleaned, TakesOutWhatCouldDriveATerminal) {
  EXPECT_EQ(cleaned("plain\ttext"), "plain\ttext");
  EXPECT_EQ(cleaned("a\x1b[1;31mred\x1b[mb"), "aredb");
  EXPECT_EQ(cleaned("a\x1b]0;title\x07"
                    "b"),
            "ab");
  EXPECT_EQ(cleaned("a\x1b]8;;http://x\x1b\\b"), "ab");
  EXPECT_EQ(cleaned("a\x1b"
                    "cb"),
            "ab");
  EXPECT_EQ(cleaned("a\x1b"), "a");
  EXPECT_EQ(cleaned("a\x1b[12"), "a");
  EXPECT_EQ(cleaned(std::string_view("a\0\b\x7f\vb", 6)), "ab");
  EXPECT_EQ(cleaned("a\xc2\x9b"
                    "31mb"),
            "a31mb");
  EXPECT_EQ(cleaned("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"),
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(cleaned("\x9b"
                    "31m\xff\xc0\x80\xe0\x80\x80"),
            "?31m??????");
}

TEST(MessageLines, CutsALineThatNeverEnds) {
  Heard heard;
  MessageLines lines(heard.listener());
  lines.add(std::string(message_line_bytes_max + 1, 'x'));
  ASSERT_EQ(heard.lines.size(), 1U);
  lines.finish();
  EXPECT_EQ(heard.lines.back(), "x|");
}

}  // namespace
}  // namespace pfetch::transport
