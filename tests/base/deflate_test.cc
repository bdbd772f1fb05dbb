#include "base/deflate.h"

#include <gtest/gtest.h>

#include <string>

#include "base/inflate.h"

namespace pfetch::base {
namespace {

std::string deflated(Deflater& deflater, const std::string& content, std::size_t piece) {
  std::string out;
  const auto keep = [&](Bytes bytes) { out.append(as_text(bytes)); };
  deflater.reset();
  for (std::size_t at = 0; at < content.size(); at += piece) {
    deflater.add(as_bytes(content.substr(at, piece)), false, keep);
  }
  deflater.add({}, true, keep);
  return out;
}

std::string inflated(const std::string& stream, std::size_t size) {
  std::string out(size, '\0');
  Inflater inflater;
  const auto step = inflater.step(as_bytes(stream), std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(step.status, Inflater::Status::done);
  EXPECT_EQ(step.taken, stream.size());
  EXPECT_EQ(step.produced, size);
  return out;
}

TEST(Deflater, GivesBackWhatItWasGivenInWhateverPieces) {
  std::string content;
  for (int i = 0; i < 30000; ++i) content += std::to_string(i * 7919 % 10007);
  Deflater deflater(1);
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{4097}, content.size()}) {
    EXPECT_EQ(inflated(deflated(deflater, content, piece), content.size()), content);
  }
  EXPECT_EQ(inflated(deflated(deflater, "", 1), 0), "");
}

TEST(Deflater, ObeysTheLevel) {
  const std::string content(100000, 'x');
  Deflater stored(0);
  Deflater smallest(9);
  EXPECT_GT(deflated(stored, content, content.size()).size(), content.size());
  EXPECT_LT(deflated(smallest, content, content.size()).size(), 1000U);
}

}  // namespace
}  // namespace pfetch::base
