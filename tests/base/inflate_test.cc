#include "base/inflate.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/pack_builder.h"

namespace pfetch::base {
namespace {

std::string mixed_text() {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += "line " + std::to_string(i * i) + (i % 7 == 0 ? std::string(40, 'x') : "") + "\n";
  return text;
}

// Inflates with input in pieces of `in` and output in pieces of `out` bytes; the status at the end.
Inflater::Status inflate_in_pieces(Inflater& inflater, const std::string& stream, std::size_t in, std::size_t out,
                                   std::string& text) {
  text.clear();
  inflater.reset();
  std::vector<std::byte> room(out);
  Bytes rest = as_bytes(stream);
  for (;;) {
    const auto step = inflater.step(rest.first(std::min(in, rest.size())), room);
    rest = rest.subspan(step.taken);
    text += as_text(std::span(room).first(step.produced));
    if (step.status == Inflater::Status::done || step.status == Inflater::Status::damaged) return step.status;
    if (step.status == Inflater::Status::need_input && rest.empty()) return step.status;
  }
}

TEST(Inflater, GivesTheSameAsTheFastOneAtEveryCut) {
  const std::string text = mixed_text();
  const std::string stream = test::deflated(text);
  FastInflater fast;
  std::string whole(text.size(), '\0');
  ASSERT_EQ(fast.inflate(as_bytes(stream), std::as_writable_bytes(std::span(whole))), stream.size());
  EXPECT_EQ(whole, text);
  Inflater inflater;
  std::string pieces;
  for (std::size_t in = 1; in <= stream.size(); ++in) {
    ASSERT_EQ(inflate_in_pieces(inflater, stream, in, 1 + in % 500, pieces), Inflater::Status::done) << in;
    ASSERT_EQ(pieces, text) << in;
  }
}

TEST(Inflater, WantsMoreOfAStreamThatIsCutAndNoticesDamage) {
  const std::string text = mixed_text();
  const std::string stream = test::deflated(text);
  Inflater inflater;
  std::string pieces;
  for (std::size_t size = 0; size < stream.size(); ++size) {
    ASSERT_EQ(inflate_in_pieces(inflater, stream.substr(0, size), 4096, 4096, pieces), Inflater::Status::need_input);
  }
  std::string damaged = stream;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_EQ(inflate_in_pieces(inflater, damaged, 100, 100, pieces), Inflater::Status::damaged);
  EXPECT_EQ(inflate_in_pieces(inflater, "not zlib", 100, 100, pieces), Inflater::Status::damaged);
}

TEST(InflateWhole, TakesJustTheStreamAndRefusesAnotherSize) {
  const std::string text = mixed_text();
  const std::string stream = test::deflated(text);
  FastInflater fast;
  Inflater sure;
  std::string room(text.size(), '\0');
  EXPECT_EQ(inflate_whole(fast, sure, as_bytes(stream + "more"), std::as_writable_bytes(std::span(room))),
            stream.size());
  EXPECT_EQ(room, text);
  for (const std::size_t size : {std::size_t{0}, text.size() - 1, text.size() + 1}) {
    std::string other(size, '\0');
    EXPECT_THROW(inflate_whole(fast, sure, as_bytes(stream), std::as_writable_bytes(std::span(other))), Error) << size;
  }
  EXPECT_THROW(inflate_whole(fast, sure, as_bytes(stream.substr(0, 50)), std::as_writable_bytes(std::span(room))),
               Error);
  const std::string nothing = test::deflated("");
  EXPECT_EQ(inflate_whole(fast, sure, as_bytes(nothing), {}), nothing.size());
}

TEST(Crc32, IsThatOfTheStandardAndGoesOn) {
  EXPECT_EQ(crc32(0, as_bytes("123456789")), 0xcbf43926U);
  EXPECT_EQ(crc32(crc32(0, as_bytes("1234")), as_bytes("56789")), 0xcbf43926U);
  EXPECT_EQ(crc32(5, {}), 5U);
}

}  // namespace
}  // namespace pfetch::base
