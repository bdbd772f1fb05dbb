// From files to blobs beside real git: the same ids, warnings and refusals.
#include "checkout/clean.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "tests/checkout/conversion_samples.h"
#include "tests/support/fakes.h"
#include "tests/support/scratch.h"

namespace pfetch::checkout {
namespace {

using namespace std::string_literals;
using test::attributes_of;
using test::Scratch;

Cleaned cleaned(std::string_view path, std::string_view file, const Conversion& conversion, const CleanRules& rules,
                const IndexBlob& index_blob = nullptr) {
  Cleaned result;
  convert_to_repository(path, file, conversion, rules, index_blob, result);
  return result;
}

std::string id_of(std::string_view blob) {
  return test::object_id(object::Kind::blob, blob).hex();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

constexpr CleanRules to_compare() {
  return {CleanRules::SafeCrlf::warn, "SHIFT-JIS", false};
}

// A repository with each content under each attribute: `s<state>/c<content>`.
struct Samples {
  explicit Samples(std::vector<std::string> the_states, std::vector<std::string> the_contents)
      : states(std::move(the_states)), contents(std::move(the_contents)) {
    scratch.out_of("git init -q repo");
    std::string rules, list;
    for (std::size_t s = 0; s < states.size(); ++s) {
      rules += fmt::format("s{}/* {}\n", s, states[s]);
      for (std::size_t c = 0; c < contents.size(); ++c) {
        scratch.write("repo/" + path(s, c), contents[c]);
        list += path(s, c) + "\n";
      }
    }
    scratch.write("repo/.gitattributes", rules);
    scratch.write("list", list);
  }

  static std::string path(std::size_t state, std::size_t content) { return fmt::format("s{}/c{}", state, content); }

  test::Ran git(const std::string& arguments) const { return scratch.run("cd repo; git " + arguments); }

  void each(const std::function<void(std::size_t state, std::size_t content)>& visit) const {
    for (std::size_t s = 0; s < states.size(); ++s) {
      for (std::size_t c = 0; c < contents.size(); ++c) visit(s, c);
    }
  }

  const Scratch scratch;
  const std::vector<std::string> states, contents;
};

std::string words(const test::ConvertSetting& setting) {
  std::string all;
  for (const std::string& option : setting.options()) all += option + " ";
  return all;
}

// Of git's warnings: path and what is lost, as ours have it.
std::vector<std::string> line_end_warnings(const std::string& errors) {
  std::vector<std::string> warnings;
  for (const std::string& line : lines_of(errors)) {
    const std::size_t path = line.find('\'') + 1;
    const std::size_t path_end = line.find('\'', path);
    const std::size_t change_end = line.find(" the next time");
    if (change_end == std::string::npos) continue;
    warnings.push_back(fmt::format("in '{}'{} by the next checkout", line.substr(path, path_end - path),
                                   line.substr(path_end + 1, change_end - path_end - 1)));
  }
  return warnings;
}

TEST(Clean, GivesTheBlobsAndWarningsOfGitForEveryAttributeSettingAndContent) {
  const Samples samples(test::conversion_states, test::conversion_contents());
  int converted = 0;
  std::size_t warned = 0;
  for (const test::ConvertSetting& setting : test::convert_settings()) {
    const auto ids = lines_of(samples.git(words(setting) + "hash-object -w --stdin-paths <../list 2>../errors").out);
    ASSERT_EQ(ids.size(), samples.states.size() * samples.contents.size());
    std::vector<std::string> warnings;
    std::size_t next = 0;
    samples.each([&](std::size_t s, std::size_t c) {
      const std::string& content = samples.contents[c];
      const Conversion conversion = decide_conversion(attributes_of(samples.states[s]), setting.config);
      const Cleaned ours = cleaned(Samples::path(s, c), content, conversion, {});
      EXPECT_EQ(id_of(ours.blob(content)), ids[next++])
          << samples.states[s] << ", " << words(setting) << testing::PrintToString(content);
      EXPECT_FALSE(ours.refusal);
      EXPECT_TRUE(ours.errors.empty());
      warnings.insert(warnings.end(), ours.warnings.begin(), ours.warnings.end());
      converted += ours.changed;
      const Cleaned compared = cleaned("f", content, conversion, to_compare());
      EXPECT_EQ(compared.blob(content), ours.blob(content));
      EXPECT_TRUE(compared.warnings.empty());
    });
    EXPECT_EQ(warnings, line_end_warnings(samples.scratch.read("errors"))) << words(setting);
    warned += warnings.size();
  }
  EXPECT_GT(converted, 3000);
  EXPECT_GT(warned, 3000U);
}

TEST(Clean, RefusesAsSafeCrlfAsks) {
  const Samples samples({"text", "text=auto", "eol=crlf", "text=auto eol=crlf", "-text", "unrelated"},
                        {"", "a\n", "a\r\n", "a\r\nb\n", "a\rb\r\n", "a\0\r\n"s, "a"});
  CleanRules rules;
  rules.safe_crlf = CleanRules::SafeCrlf::refuse;
  int refused = 0;
  samples.each([&](std::size_t s, std::size_t c) {
    const std::string path = Samples::path(s, c);
    const auto theirs = samples.git("-c core.safecrlf=true hash-object -w " + path + " 2>&1");
    const Cleaned ours =
        cleaned(path, samples.contents[c], decide_conversion(attributes_of(samples.states[s]), {}), rules);
    EXPECT_EQ(!ours.refusal, theirs.ok()) << path << theirs.out;
    EXPECT_TRUE(ours.warnings.empty());
    refused += ours.refusal.has_value();
  });
  EXPECT_GT(refused, 8);
  rules.safe_crlf = CleanRules::SafeCrlf::off;
  EXPECT_TRUE(cleaned("f", "a\r\n", {Conversion::LineEnds::lf, false, {}}, rules).warnings.empty());
}

// Puts other blobs into the index, which are stored, and then adds the files with `options`; the ids in the index, by
// path.
std::vector<std::string> added_over(const Samples& samples, const std::vector<std::size_t>& index_contents,
                                    const std::string& options, const std::string& add_options) {
  std::string entries;
  std::size_t next = 0;
  samples.each([&](std::size_t s, std::size_t c) {
    const std::string& blob = samples.contents[index_contents[next++]];
    entries += fmt::format("100644 {}\t{}\n", id_of(blob), Samples::path(s, c));
  });
  samples.scratch.write("entries", entries);
  samples.scratch.out_of("cd repo; rm -f .git/index; git update-index --index-info <../entries; git " + options +
                         " add " + add_options + " . 2>/dev/null");
  std::vector<std::string> ids;
  samples.each([&](std::size_t, std::size_t) { ids.emplace_back(); });
  for (const std::string& line : lines_of(samples.git("ls-files -s").out)) {
    std::size_t state = 0, content = 0;
    if (std::sscanf(line.c_str() + line.find('\t'), "\ts%zu/c%zu", &state, &content) != 2) continue;
    ids[state * samples.contents.size() + content] = line.substr(7, object::Oid::hex_size);
  }
  return ids;
}

TEST(Clean, KeepsGuessedTextWhoseIndexBlobHasCrlf) {
  std::mt19937 random(7);
  std::vector<std::string> contents = {"a\n", "a\r\n", "a\r\nb\n", "a\rb\r\n", "\0\r\n"s, "", "\r", "a\r\n\x01"};
  for (int i = 0; i < 24; ++i) {
    std::string text;
    for (unsigned n = static_cast<unsigned>(random() % 6); n > 0; --n) {
      text += std::vector<std::string>{"x", "\n", "\r\n", "x\r\n", "x\r", "\0"s, "$Id: 1 $"}[random() % 7];
    }
    contents.push_back(text);
  }
  const Samples samples({"text=auto", "text=auto eol=crlf", "text=auto eol=lf", "text", "unrelated", "crlf=auto ident"},
                        contents);
  samples.git("hash-object -w --no-filters s0/*");
  std::vector<std::size_t> index_contents;
  samples.each([&](std::size_t, std::size_t) { index_contents.push_back(random() % contents.size()); });
  int kept = 0;
  for (const test::ConvertSetting& setting : test::convert_settings()) {
    const auto ids = added_over(samples, index_contents, words(setting), "");
    const auto renormalized = added_over(samples, index_contents, words(setting), "--renormalize");
    std::size_t next = 0;
    samples.each([&](std::size_t s, std::size_t c) {
      const Conversion conversion = decide_conversion(attributes_of(samples.states[s]), setting.config);
      const std::string& index_blob = contents[index_contents[next]];
      const Cleaned ours = cleaned(Samples::path(s, c), contents[c], conversion, {}, [&] { return index_blob; });
      EXPECT_EQ(id_of(ours.blob(contents[c])), ids[next])
          << samples.states[s] << ", " << words(setting) << testing::PrintToString(contents[c]) << " over "
          << testing::PrintToString(index_blob);
      const Cleaned again = cleaned("f", contents[c], conversion, to_compare());
      EXPECT_EQ(id_of(again.blob(contents[c])), renormalized[next]);
      kept += ours.blob(contents[c]) != again.blob(contents[c]);
      ++next;
    });
  }
  EXPECT_GT(kept, 30);
}

TEST(Clean, AsksForTheIndexBlobOnlyWhenItMatters) {
  int asked = 0;
  const IndexBlob count = [&]() -> std::optional<std::string> {
    ++asked;
    return std::nullopt;
  };
  const Conversion guess{Conversion::LineEnds::lf_if_text, true, {}};
  for (const char* file : {"", "a\n", "a\rb\r\n", "$Id: x$"}) cleaned("f", file, guess, {}, count);
  cleaned("f", "a\r\n", {Conversion::LineEnds::lf, false, {}}, {}, count);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(cleaned("f", "a\r\n", guess, {}, count).changed);
  EXPECT_EQ(asked, 1);
}

TEST(Clean, BoundsTheResult) {
  Cleaned result;
  const Conversion conversion{Conversion::LineEnds::keep, false, "ISO-8859-1"};
  convert_to_repository("f", "\xe4\xe4", conversion, {}, nullptr, result, 4);
  EXPECT_EQ(result.bytes, "\xc3\xa4\xc3\xa4");
  Cleaned larger;
  EXPECT_THROW(convert_to_repository("f", "\xe4\xe4", conversion, {}, nullptr, larger, 3), Error);
}

std::vector<std::string> encoding_states() {
  std::vector<std::string> states;
  for (const char* encoding :
       {"UTF-16", "utf16", "UTF-16LE", "UTF-16BE", "UTF-16LE-BOM", "UTF-32", "UTF-32LE", "utf-32be", "latin-1",
        "ISO-8859-15", "SHIFT-JIS", "EUC-JP", "ISO-2022-JP", "CP1252", "UTF-32LE-BOM", "no-such", "ASCII"}) {
    states.push_back("working-tree-encoding="s + encoding);
  }
  for (const char* more : {"text", "text=auto eol=crlf", "ident", "text ident"}) {
    states.push_back("working-tree-encoding=UTF-16 "s + more);
    states.push_back("working-tree-encoding=UTF-16LE "s + more);
  }
  return states;
}

const std::vector<std::string> encoded_contents = {"",
                                                   "plain\r\n",
                                                   "h\xe4lt\n",
                                                   "\x82\xa0\n",
                                                   "\x5c\x7e\n",
                                                   "\xff\xfe"s,
                                                   "\xff\xfe"s + "a\0\r\0\n\0"s,
                                                   "\xfe\xff\0a\0\r\0\n"s,
                                                   "a\0\r\0\n\0"s,
                                                   "\0a\0\n"s,
                                                   "a\0\x00\xd8"s,
                                                   "odd"s,
                                                   "\xff\xfe\0\0"s + "a\0\0\0"s,
                                                   "\0\0\xfe\xff\0\0\0a"s,
                                                   "$\0I\0d\0:\0x\0$\0\r\0\n\0"s,
                                                   "\xff\xfe$\0I\0d\0:\0 \0x\0$\0\r\0\n\0"s,
                                                   "\x1b$B$\"\x1b(B\n"};

TEST(Clean, DecodesWhatGitDecodes) {
  const Samples samples(encoding_states(), encoded_contents);
  const auto ids = lines_of(samples.git("hash-object --stdin-paths <../list 2>../errors").out);
  ASSERT_EQ(ids.size(), samples.states.size() * samples.contents.size());
  std::size_t next = 0, errors = 0;
  int decoded = 0;
  samples.each([&](std::size_t s, std::size_t c) {
    const std::string& content = samples.contents[c];
    const Cleaned ours = cleaned("f", content, decide_conversion(attributes_of(samples.states[s]), {}), to_compare());
    EXPECT_EQ(id_of(ours.blob(content)), ids[next++]) << samples.states[s] << testing::PrintToString(content);
    EXPECT_FALSE(ours.refusal);
    errors += ours.errors.size();
    decoded += ours.changed;
  });
  std::size_t git_errors = 0;
  for (const std::string& line : lines_of(samples.scratch.read("errors"))) git_errors += line.starts_with("error: ");
  EXPECT_EQ(errors, git_errors);
  EXPECT_GT(errors, 50U);
  EXPECT_GT(decoded, 80);
}

TEST(Clean, RefusesToStoreWhatGitRefuses) {
  const Samples samples(encoding_states(), encoded_contents);
  CleanRules rules;
  rules.round_trip_encodings = "EUC-JP, UTF-16,shift-jis\tiso-2022-jp";
  int refused = 0;
  samples.each([&](std::size_t s, std::size_t c) {
    if (c % 2 != s % 2) return;  // a process for each
    const std::string& content = samples.contents[c];
    const auto theirs = samples.git("-c core.checkRoundtripEncoding='" + rules.round_trip_encodings +
                                    "' hash-object -w " + Samples::path(s, c) + " 2>../errors");
    const Cleaned ours = cleaned("f", content, decide_conversion(attributes_of(samples.states[s]), {}), rules);
    ASSERT_EQ(!ours.refusal, theirs.ok())
        << samples.states[s] << testing::PrintToString(content) << samples.scratch.read("errors");
    if (theirs.ok()) {
      EXPECT_EQ(id_of(ours.blob(content)) + "\n", theirs.out);
    }
    EXPECT_TRUE(ours.errors.empty());
    refused += ours.refusal.has_value();
  });
  EXPECT_GT(refused, 40);
}

TEST(Clean, ChecksTheRoundTripOfListedEncodings) {
  const Conversion conversion{Conversion::LineEnds::keep, false, "UTF-16"};
  const std::string file = "\xfe\xff\0a"s;  // would come back with the other mark
  const auto refusal = [&](const std::string& names, bool to_store = true) {
    return cleaned("f", file, conversion, {CleanRules::SafeCrlf::warn, names, to_store}).refusal.has_value();
  };
  for (const char* yes : {"UTF-16", "utf-16", "a,UTF-16", " UTF-16 ,b", "UTF-16LE,UTF-16"}) EXPECT_TRUE(refusal(yes));
  for (const char* no : {"", "UTF-16LE", "XUTF-16", "UTF", ", ,"}) EXPECT_FALSE(refusal(no)) << no;
  EXPECT_FALSE(refusal("UTF-16", false));
}

// git 2.39 can write these files and cannot read them back.
TEST(Clean, ReadsBigEndianFilesWithAMark) {
  const Conversion conversion{Conversion::LineEnds::keep, false, "UTF-16BE-BOM"};
  EXPECT_EQ(cleaned("f", "\xfe\xff\0a"s, conversion, {}).bytes, "a");
}

// What a checkout has written comes back as the blob that it was.
TEST(Clean, TakesBackWhatACheckoutHasDone) {
  std::mt19937 random(23);
  const std::vector<std::string> pieces = {"$Id$", "$", "word", " ", "\n", "\xc3\xa4", "\n\n", "Id"};
  std::vector<std::string> states = test::conversion_states;
  for (const char* encoding : {"UTF-16", "UTF-16LE-BOM", "UTF-16BE-BOM", "UTF-16BE", "ISO-8859-1", "UTF-32"}) {
    states.push_back("text ident working-tree-encoding="s + encoding);
    states.push_back("text=auto eol=crlf working-tree-encoding="s + encoding);
  }
  int changed = 0;
  for (int round = 0; round < 200; ++round) {
    std::string blob;
    for (unsigned n = static_cast<unsigned>(random() % 20); n > 0; --n) blob += pieces[random() % pieces.size()];
    for (const std::string& state : states) {
      for (const test::ConvertSetting& setting : test::convert_settings()) {
        const Conversion conversion = decide_conversion(attributes_of(state), setting.config);
        std::string file;
        const Converted converted =
            convert_to_worktree(blob, test::object_id(object::Kind::blob, blob), conversion, file);
        ASSERT_FALSE(converted.not_encoded);
        if (!converted.changed) file = blob;
        changed += converted.changed;
        const Cleaned back = cleaned("f", file, conversion, {});
        ASSERT_FALSE(back.refusal);
        ASSERT_EQ(back.blob(file), blob) << state << ", " << words(setting);
      }
    }
  }
  EXPECT_GT(changed, 10'000);
}

}  // namespace
}  // namespace pfetch::checkout
