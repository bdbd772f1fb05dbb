#include "checkout/encoding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "tests/support/git_oracle.h"

namespace pfetch::checkout {
namespace {

using namespace std::string_literals;

constexpr std::uint64_t plenty = 1 << 20;

std::string encoded(std::string_view text, const std::string& encoding) {
  std::string result;
  return encode_from_utf8(text, encoding, result, plenty) ? result : "cannot";
}

TEST(Encoding, KnowsTheNamesOfUtf8) {
  for (const char* name : {"UTF-8", "utf-8", "UTF8", "utf8", "Utf-8"}) EXPECT_TRUE(is_utf8_name(name)) << name;
  for (const char* name : {"", "UTF", "UTF-", "8", "UTF--8", "UTF-16", "UTF-8-BOM"}) EXPECT_FALSE(is_utf8_name(name));
}

TEST(Encoding, WritesTheMarkThatTheNameAsksFor) {
  EXPECT_EQ(encoded("a", "UTF-16LE"), "a\0"s);
  EXPECT_EQ(encoded("a", "UTF-16BE"), "\0a"s);
  EXPECT_EQ(encoded("a", "UTF-16LE-BOM"), "\xff\xfe"s + "a\0"s);
  EXPECT_EQ(encoded("a", "utf16be-bom"), "\xfe\xff\0a"s);
  EXPECT_EQ(encoded("\xc3\xa4", "latin-1"), "\xe4");
}

TEST(Encoding, RefusesWhatItCannotSay) {
  EXPECT_EQ(encoded("a", "no-such-encoding"), "cannot");
  EXPECT_EQ(encoded("\xff", "UTF-16"), "cannot");
  EXPECT_EQ(encoded("cut \xe2\x82", "UTF-16"), "cannot");
  EXPECT_EQ(encoded("\xe2\x82\xac", "ISO-8859-1"), "cannot");
}

TEST(Encoding, GrowsItsResultAsFarAsItMay) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(encoded(text, "UTF-32BE").size(), 4 * text.size());
  std::string result;
  EXPECT_TRUE(encode_from_utf8(text, "UTF-32BE", result, 4 * text.size()));
  EXPECT_THROW(encode_from_utf8(text, "UTF-32BE", result, 4 * text.size() - 1), Error);
}

// Byte for byte what git 2.39.5 writes, for every encoding and text; a text that git cannot encode stays as it is.
TEST(Encoding, IsThatOfGit) {
  const test::GitOracle git;
  const std::vector<std::string> encodings = {
      "UTF-16",       "utf16",       "UTF-16LE",         "UTF-16BE",        "UTF-16LE-BOM",
      "utf-16be-bom", "UTF-32",      "UTF-32LE",         "UTF-32BE",        "latin-1",
      "LATIN-1",      "ISO-8859-15", "SHIFT-JIS",        "EUC-JP",          "ISO-2022-JP",
      "UTF-7",        "CP1252",      "UTF-16//TRANSLIT", "ASCII//TRANSLIT", "UTF-32LE-BOM",
      "UTF-8-BOM",    "no-such",     "UTF-16-BOM",       "utf-16LEx",       "ASCII"};
  const std::vector<std::string> texts = {"plain\n",
                                          "",
                                          "h\xc3\xa4lt\n",
                                          "\xe6\x97\xa5\xe6\x9c\xac",
                                          "a\xe6\x97\xa5z\n",
                                          "\xf0\x9f\x98\x80\n",
                                          "\xff\xfe",
                                          "cut \xe2\x82",
                                          "n\0l"s,
                                          "\xef\xbb\xbf"
                                          "bom"};
  std::string attributes;
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    attributes += "f" + std::to_string(i) + " working-tree-encoding=" + encodings[i] + "\n";
  }
  git.write(".gitattributes", attributes);
  std::string questions;
  for (const std::string& text : texts) {
    const std::string blob = git.must({"hash-object", "-w", "--stdin", "--no-filters"}, text);
    for (std::size_t i = 0; i < encodings.size(); ++i) questions += blob + " f" + std::to_string(i) + "\n";
  }
  const auto answer = git.run({"cat-file", "--batch=@@@", "--filters"}, questions);
  ASSERT_TRUE(answer.ok());
  std::string_view answers = answer.out;
  for (const std::string& text : texts) {
    for (const std::string& encoding : encodings) {
      ASSERT_TRUE(answers.starts_with("@@@\n"));
      answers.remove_prefix(4);
      const std::size_t end = std::min(answers.find("@@@\n"), answers.size());
      std::string ours;
      if (text.empty() || !encode_from_utf8(text, encoding, ours, plenty)) ours = text;
      EXPECT_EQ(ours, answers.substr(0, end - 1)) << encoding << " of " << testing::PrintToString(text);
      answers.remove_prefix(end);
    }
  }
  EXPECT_TRUE(answers.empty());
}

}  // namespace
}  // namespace pfetch::checkout
