#include "checkout/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tests/support/git_oracle.h"

namespace pfetch::checkout {
namespace {

using namespace std::string_literals;

SharedAttributeFile parse(std::string_view text) {
  return parse_attribute_file(text, "x", true, nullptr);
}

Attributes attributes_of(const std::string& states) {
  return AttributeStack::root({{}, parse("* " + states), nullptr, false})->query("f");
}

std::string printable_then(std::size_t printable, const std::string& rest) {
  return std::string(printable, 'p') + rest;
}

std::vector<std::string> contents() {
  std::vector<std::string> all = {
      "", "a", "\n", "a\n", "a\nb\n", "a\r\nb\r\n", "a\nb\r\n", "a\r\nb\n", "a\rb\n", "a\r", "\r\n", "\r\r\n",
      "a\n\r\n", "a\0b\n"s, "\xff\xfe\n", "a\x7f\n", "\b\t\033\f\n", "a\x01\n", "\n\x1a", "a\n\x1a\x1a", "a\x1a\n",
      // the ratio of printable to other bytes
      printable_then(127, "\x01\n"), printable_then(128, "\x01\n"), printable_then(255, "\x01\x02\n"),
      printable_then(256, "\x01\x02\n"), printable_then(127, "\n\x1a"), printable_then(127, "\x7f\n\x1a"),
      // idents
      "$Id$", "$Id$\n", "a $Id$ b $Id$\n", "$Id: $", "$Id:$", "$Id: 12 $\n", "$Id: 1 2 $\n", "$Id: a b$\n", "$Id:  $",
      "$Id: a $\r\n", "$Id:\n$Id$\n", "$Id: x", "$Id", "$I", "$", "$$Id$$", "$Id: a\n$", "$id$", "$Idx$", "$Id:a b$",
      "$Id: ab$Id$", "$Id:a$\n", "$Id: a b $Id$ $Id: c $\n", "$Id: a  $", "$Id$Id$", "$Id: $Id$", "x$Id$\0\n"s,
      "$Id$\n$Id$\r\n", "$Id: a b", "$Id$ $Id: x", "$Id:  a$", "$Id: " + std::string(300, 'h') + " $", "$Id:\t\t$",
      "$Id::$"};
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "line " + std::to_string(i) + "\n";
  all.push_back(lines);
  all.push_back(lines + "\r");
  std::mt19937 random(11);
  const std::vector<std::string> pieces = {"$", "Id", ":", " ", "\n", "\r\n", "x", "$Id$", "$Id: ", " $", "\r", "Id:"};
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (unsigned n = static_cast<unsigned>(random() % 14); n > 0; --n) text += pieces[random() % pieces.size()];
    all.push_back(text);
  }
  return all;
}

const std::vector<std::string> states = {"unrelated",
                                         "text",
                                         "-text",
                                         "text=auto",
                                         "text=x",
                                         "text=input",
                                         "eol=lf",
                                         "eol=crlf",
                                         "eol=x",
                                         "text eol=lf",
                                         "text eol=crlf",
                                         "text=auto eol=lf",
                                         "text=auto eol=crlf",
                                         "-text eol=crlf",
                                         "text=input eol=crlf",
                                         "crlf",
                                         "-crlf",
                                         "crlf=input",
                                         "crlf=auto",
                                         "crlf=x",
                                         "text=auto -crlf",
                                         "text=x crlf",
                                         "crlf eol=lf",
                                         "-crlf eol=crlf",
                                         "binary",
                                         "ident",
                                         "-ident",
                                         "ident=x",
                                         "ident text",
                                         "ident text=auto",
                                         "ident eol=crlf",
                                         "ident text=auto eol=crlf",
                                         "filter=none",
                                         "filter=cleaner eol=crlf",
                                         "-working-tree-encoding",
                                         "working-tree-encoding=utf8 text=auto",
                                         "working-tree-encoding=UTF-8 eol=crlf",
                                         "working-tree-encoding= ident",
                                         "text eol=native",
                                         "crlf=input eol=crlf",
                                         "text=auto ident=x",
                                         "eol text"};

struct Setting {
  std::string auto_crlf;
  std::string eol;
  ConvertConfig config;
};

std::vector<Setting> settings() {
  using AutoCrlf = ConvertConfig::AutoCrlf;
  using Eol = ConvertConfig::Eol;
  std::vector<Setting> all;
  for (const auto& [auto_text, auto_crlf] :
       {std::pair{"false", AutoCrlf::off}, std::pair{"true", AutoCrlf::on}, std::pair{"input", AutoCrlf::input}}) {
    for (const auto& [eol_text, eol] :
         {std::pair{"native", Eol::native}, std::pair{"lf", Eol::lf}, std::pair{"crlf", Eol::crlf}}) {
      all.push_back({auto_text, eol_text, {auto_crlf, eol}});
    }
  }
  return all;
}

// No content above holds this line, so it can stand before each answer of `git cat-file --batch` (the size there is
// that of the unfiltered blob).
constexpr std::string_view separator = "@@@\n";

std::string take_content(std::string_view& answers) {
  answers.remove_prefix(separator.size());
  const std::size_t end = std::min(answers.find(separator), answers.size());
  std::string content(answers.substr(0, end - 1));
  answers.remove_prefix(end);
  return content;
}

TEST(Filter, WritesWhatGitWritesForEveryAttributeSettingAndContent) {
  const test::GitOracle git;
  std::string attribute_lines;
  for (std::size_t i = 0; i < states.size(); ++i) attribute_lines += "s" + std::to_string(i) + " " + states[i] + "\n";
  git.write(".gitattributes", attribute_lines);
  const std::vector<std::string> blobs = contents();
  std::string names;
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    git.write("blobs/" + std::to_string(i), blobs[i]);
    names += "blobs/" + std::to_string(i) + "\n";
  }
  const std::string ids = git.must({"hash-object", "-w", "--no-filters", "--stdin-paths"}, names);

  int converted = 0;
  for (const Setting& setting : settings()) {
    std::string questions;
    for (std::size_t s = 0; s < states.size(); ++s) {
      for (std::size_t b = 0; b < blobs.size(); ++b) {
        questions +=
            ids.substr(b * (object::Oid::hex_size + 1), object::Oid::hex_size) + " s" + std::to_string(s) + "\n";
      }
    }
    const auto answer = git.run({"-c", "core.autocrlf=" + setting.auto_crlf, "-c", "core.eol=" + setting.eol, "-c",
                                 "filter.cleaner.clean=cat", "cat-file", "--batch=@@@", "--filters"},
                                questions);
    ASSERT_TRUE(answer.ok());
    std::string_view answers = answer.out;
    for (std::size_t s = 0; s < states.size(); ++s) {
      const Attributes attributes = attributes_of(states[s]);
      EXPECT_FALSE(choose_filter(attributes, {{"cleaner", {}}})) << states[s];
      const Conversion conversion = decide_conversion(attributes, setting.config);
      for (std::size_t b = 0; b < blobs.size(); ++b) {
        const auto id = object::Oid::from_hex(ids.substr(b * (object::Oid::hex_size + 1), object::Oid::hex_size));
        const std::string wanted = take_content(answers);
        std::string ours;
        if (!convert_to_worktree(blobs[b], *id, conversion, ours).changed) ours = blobs[b];
        converted += wanted != blobs[b];
        ASSERT_EQ(ours, wanted) << states[s] << ", autocrlf " << setting.auto_crlf << ", eol " << setting.eol
                                << ", content " << testing::PrintToString(blobs[b]);
      }
    }
  }
  EXPECT_GT(converted, 5000);
}

TEST(Filter, LeavesAloneWhatNeedsNoChange) {
  std::string result;
  EXPECT_FALSE(convert_to_worktree("a\r\n", {}, {Conversion::LineEnds::crlf, true, {}}, result).changed);
  EXPECT_FALSE(convert_to_worktree("$Id: 1 2 3 $\n", {}, {Conversion::LineEnds::keep, true, {}}, result).changed);
  EXPECT_FALSE(convert_to_worktree("a\n$Id$", {}, {}, result).changed);
}

TEST(Filter, BoundsTheResult) {
  std::string result;
  EXPECT_TRUE(convert_to_worktree("\n\n\n", {}, {Conversion::LineEnds::crlf, false, {}}, result, 6).changed);
  EXPECT_THROW(convert_to_worktree("\n\n\n", {}, {Conversion::LineEnds::crlf, false, {}}, result, 5), Error);
  EXPECT_TRUE(convert_to_worktree("$Id$x", {}, {Conversion::LineEnds::keep, true, {}}, result, 48).changed);
  EXPECT_THROW(convert_to_worktree("$Id$x", {}, {Conversion::LineEnds::keep, true, {}}, result, 47), Error);
}

TEST(Filter, ChoosesTheDriverAsGitDoes) {
  using Kind = FilterChoice::Kind;
  const FilterDrivers drivers = {
      {"lfs", {"smudge", "process", true}},
      {"indent", {"smudge", {}, false}},
      {"lint", {{}, {}, false}},
      {"strict", {{}, {}, true}},
      {"hidden", {"smudge", "", false}},
      {"strict-hidden", {"smudge", "", true}},
      {"empty", {"", {}, false}},
      {"strict-cleaner", {{}, {}, true, "cat"}},
  };
  const auto kind = [&](const std::string& line) { return choose_filter(attributes_of(line), drivers).kind; };
  EXPECT_EQ(kind("filter=lfs"), Kind::process);
  EXPECT_EQ(kind("filter=indent"), Kind::program);
  EXPECT_EQ(kind("filter=strict"), Kind::none);
  EXPECT_EQ(kind("filter=strict-cleaner"), Kind::missing);
  EXPECT_EQ(kind("filter=strict-hidden"), Kind::missing);
  for (const char* none : {"lint", "hidden", "empty", "other"})
    EXPECT_EQ(kind(std::string("filter=") + none), Kind::none);
  EXPECT_EQ(kind("filter -filter"), Kind::none);
  EXPECT_EQ(kind("filter"), Kind::none);
  EXPECT_EQ(*choose_filter(attributes_of("filter=indent"), drivers).name, "indent");
}

TEST(Filter, TakesTheEncodingFromItsAttribute) {
  const auto encoding = [](const std::string& line) { return decide_conversion(attributes_of(line), {}).encoding; };
  EXPECT_EQ(encoding("working-tree-encoding=UTF-16"), "UTF-16");
  for (const char* none : {"UTF-8", "utf8", "utf-8", "Utf8", ""}) {
    EXPECT_EQ(encoding(std::string("working-tree-encoding=") + none), "") << none;
  }
  EXPECT_EQ(encoding("-working-tree-encoding"), "");
  EXPECT_THROW(encoding("working-tree-encoding"), Error);
}

TEST(Filter, EncodesLast) {
  std::string result;
  const Conversion conversion{Conversion::LineEnds::crlf, true, "UTF-16BE"};
  EXPECT_TRUE(convert_to_worktree("a\n", {}, conversion, result).changed);
  EXPECT_EQ(result, "\0a\0\r\0\n"s);
  EXPECT_FALSE(convert_to_worktree("", {}, conversion, result).changed);
}

TEST(Filter, KeepsTheOtherStepsOfWhatCannotBeEncoded) {
  std::string result;
  const Converted converted = convert_to_worktree("\xff\n", {}, {Conversion::LineEnds::crlf, false, "UTF-16"}, result);
  EXPECT_TRUE(converted.changed);
  EXPECT_TRUE(converted.not_encoded);
  EXPECT_EQ(result, "\xff\r\n");
}

// git 2.39.5 on the two attributes that it refuses outright.
TEST(Filter, RefusesWhatGitRefuses) {
  const test::GitOracle git;
  git.write(".gitattributes", "a working-tree-encoding\nb filter=strict\nc -working-tree-encoding\n");
  const std::string blob = git.must({"hash-object", "-w", "--stdin"}, "x");
  const auto accepts = [&](const std::string& path) {
    return git.run({"-c", "filter.strict.required=true", "cat-file", "--filters", "--path=" + path, blob}).ok();
  };
  EXPECT_FALSE(accepts("a"));
  EXPECT_FALSE(accepts("b"));
  EXPECT_TRUE(accepts("c"));
}

}  // namespace
}  // namespace pfetch::checkout
