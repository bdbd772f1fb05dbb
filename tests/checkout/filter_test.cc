#include "checkout/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tests/checkout/conversion_samples.h"
#include "tests/support/git_oracle.h"

namespace pfetch::checkout {
namespace {

using namespace std::string_literals;
using test::attributes_of;

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
  const std::vector<std::string>& states = test::conversion_states;
  std::string attribute_lines;
  for (std::size_t i = 0; i < states.size(); ++i) attribute_lines += "s" + std::to_string(i) + " " + states[i] + "\n";
  git.write(".gitattributes", attribute_lines);
  const std::vector<std::string> blobs = test::conversion_contents();
  std::string names;
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    git.write("blobs/" + std::to_string(i), blobs[i]);
    names += "blobs/" + std::to_string(i) + "\n";
  }
  const std::string ids = git.must({"hash-object", "-w", "--no-filters", "--stdin-paths"}, names);

  int converted = 0;
  for (const test::ConvertSetting& setting : test::convert_settings()) {
    std::string questions;
    for (std::size_t s = 0; s < states.size(); ++s) {
      for (std::size_t b = 0; b < blobs.size(); ++b) {
        questions +=
            ids.substr(b * (object::Oid::hex_size + 1), object::Oid::hex_size) + " s" + std::to_string(s) + "\n";
      }
    }
    std::vector<std::string> command = setting.options();
    command.insert(command.end(), {"-c", "filter.cleaner.clean=cat", "cat-file", "--batch=@@@", "--filters"});
    const auto answer = git.run(command, questions);
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

TEST(Filter, ChoosesTheDriverForTheWayBack) {
  using Kind = FilterChoice::Kind;
  const FilterDrivers drivers = {
      {"both", {"smudge", "process", false, "clean"}},
      {"one", {{}, {}, false, "clean"}},
      {"hidden", {{}, "", false, "clean"}},
      {"strict-hidden", {{}, "", true, "clean"}},
      {"smudger", {"smudge", {}, false}},
      {"strict-smudger", {"smudge", {}, true}},
      {"strict", {{}, {}, true}},
  };
  const auto kind = [&](const std::string& name) {
    return choose_filter(attributes_of("filter=" + name), drivers, FilterDirection::clean).kind;
  };
  EXPECT_EQ(kind("both"), Kind::process);
  EXPECT_EQ(kind("one"), Kind::program);
  for (const char* none : {"hidden", "smudger", "other"}) EXPECT_EQ(kind(none), Kind::none) << none;
  for (const char* missing : {"strict-hidden", "strict-smudger", "strict"}) EXPECT_EQ(kind(missing), Kind::missing);
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
