#include "repo/config_syntax.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "repo/config.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

// As `git config --list -z` prints it: key, newline, value, NUL.
std::string listed(const std::string& text) {
  std::string all;
  ConfigParser parser(text, "conf");
  try {
    for (ConfigStatement statement; parser.next(statement);) {
      if (statement.is_section) continue;
      all += statement.name + (statement.value ? "\n" + *statement.value : std::string()) + '\0';
    }
  } catch (const Error& error) {
    return "fatal: " + error.message() + "\n";
  }
  return all;
}

}  // namespace

TEST(ConfigSyntax, ReadsWhatGitReads) {
  test::Scratch scratch;
  const std::string texts[] = {
      "",
      "[a]\nb=c",
      "\xef\xbb\xbf[a]b=c\r\n\td = e  ; x\r\n",
      "[A \"Sub \\\"x\\\\\"]\n\tKey-1 = \" a;b\" # c\n  flag\nempty=\n",
      "[a.B]\nx=y\n[c  \"d\"] e = f g   h  \n",
      "[a]\nb = one \\\n  two\\\n\nc = \"x  \"  y\"\"  \n",
      "[a]\nb = x\\ty\\nz\\\"\\\\\n",
      "[a]\nb = x\\",
      "[a]\nb = \"x\n",
      "[a]\nb = x\\q\n",
      "[a\nb=c\n",
      "[a \"b\nc\"]\n",
      "[a \"b\"x]\n",
      "[a]\n1b=c\n",
      "[a]\nb c=d\n",
      "[a]\nb_c=d\n",
      "# only\n; comments",
  };
  for (const std::string& text : texts) {
    scratch.write("conf", text);
    EXPECT_EQ(listed(text), scratch.output("git config -f conf -z --list")) << text;
  }
}

TEST(ConfigSyntax, AgreesWithGitOnRandomText) {
  test::Scratch scratch;
  std::mt19937 random(1);
  const char* const pieces[] = {"\nk = ", "\nkey", "\n[b \"C\"]\n", "\n", " ",   "  ",   "\"",  "\"",
                                "\\n",    "#",     "; x",           "v",  "w x", "\r\n", " = ", "\\\"",
                                "\\\\",   "\\\n",  "\\t",           "=",  "]",   ".",    "-7"};
  std::string ours;
  for (int round = 0; round < 150; ++round) {
    std::string text = "[s]\nk = ";
    for (unsigned i = 0; i < 4 + random() % 14; ++i) text += pieces[random() % std::size(pieces)];
    scratch.write("d/" + std::to_string(round), text);
    std::string mine = listed(text);
    const std::string in_file = " in file conf";
    if (const auto at = mine.find(in_file); mine.starts_with("fatal") && at != std::string::npos) {
      mine.replace(at, in_file.size(), " in file " + std::to_string(round));
    }
    ours += mine + "--\n";
  }
  EXPECT_EQ(scratch.output(
                "cd d; for i in $(seq 0 149); do "
                "if git config -f $i -z --list >../out 2>../err; then cat ../out; else cat ../err; fi; echo --; done"),
            ours);
}

TEST(ConfigSyntax, MakesKeysCanonical) {
  EXPECT_EQ(canonical_config_key("Remote.Or.Ig.URL"), "remote.Or.Ig.url");
  for (const char* bad : {"", "a", ".b", "a.", "a.1", "a.b c", "a b.c", "a.x\ny.c"}) {
    EXPECT_THROW(canonical_config_key(bad), Error) << bad;
  }
}

TEST(ConfigSyntax, QuotesValuesSoThatTheyReadBack) {
  for (const std::string value :
       {"", "plain", " x", "x ", "a#b", "a;b", "\"", "\\", "a\nb", "\t", "x\r", "a  b", "ä"}) {
    const std::string text = "[a]\nb = " + quote_config_value(value) + "\n";
    EXPECT_EQ(listed(text), "a.b\n" + value + '\0') << value;
  }
}

TEST(ConfigValue, KnowsGitsBooleans) {
  for (const char* yes : {"true", "YES", "On", "1", "-1", "2k"}) EXPECT_EQ(config_value_as_bool(yes), true) << yes;
  for (const char* no : {"", "false", "No", "OFF", "0", "0k"}) EXPECT_EQ(config_value_as_bool(no), false) << no;
  EXPECT_EQ(config_value_as_bool(std::nullopt), true);
  EXPECT_EQ(config_value_as_bool("maybe"), std::nullopt);
}

TEST(ConfigValue, KnowsUnitsAndTheirLimits) {
  std::int64_t number = 0;
  EXPECT_EQ(config_value_as_int("-3M", number), ConfigNumberError::none);
  EXPECT_EQ(number, -3 * 1024 * 1024);
  EXPECT_EQ(config_value_as_int("0x10g", number), ConfigNumberError::none);
  EXPECT_EQ(number, std::int64_t{16} << 30);
  EXPECT_EQ(config_value_as_int("9999999999g", number), ConfigNumberError::out_of_range);
  EXPECT_EQ(config_value_as_int("99999999999999999999", number), ConfigNumberError::out_of_range);
  for (const char* bad : {"", "k", "1kb", "1 k", "x"}) {
    EXPECT_EQ(config_value_as_int(bad, number), ConfigNumberError::invalid_unit) << bad;
  }
}

TEST(ConfigValue, ExpandsHomes) {
  EXPECT_EQ(config_value_as_path("~/x", "/h"), "/h/x");
  EXPECT_EQ(config_value_as_path("~", "/h"), "/h");
  EXPECT_EQ(config_value_as_path("/~/x", "/h"), "/~/x");
  EXPECT_EQ(config_value_as_path("~root/x", "/h"), "/root/x");
  EXPECT_THROW(config_value_as_path("~/x", ""), Error);
  EXPECT_THROW(config_value_as_path("~no-such-user-here/x", "/h"), Error);
}

}  // namespace pfetch::repo
