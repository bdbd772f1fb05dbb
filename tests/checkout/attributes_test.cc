#include "checkout/attributes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/git_oracle.h"

namespace pfetch::checkout {
namespace {

using Kind = AttributeState::Kind;

SharedAttributeFile parse(std::string_view text, bool macros_allowed = true) {
  return parse_attribute_file(text, ".gitattributes", macros_allowed, nullptr);
}

std::string shown(const AttributeState& state) {
  switch (state.kind) {
    case Kind::set:
      return "set";
    case Kind::unset:
      return "unset";
    case Kind::unspecified:
      return "unspecified";
    case Kind::value:
      return state.value;
  }
  return {};
}

TEST(Attributes, StrongerFilesWinAndEachAttributeIsDecidedAlone) {
  AttributeStack::Sources sources;
  sources.below = {parse("*.c text eol=crlf ident"), parse("*.c eol=lf")};
  sources.top = parse("*.c -text\n*.c !ident");
  const auto top = AttributeStack::root(sources);
  Attributes of = top->query("a.c");
  EXPECT_EQ(shown(of.text), "unset");
  EXPECT_EQ(shown(of.eol), "lf");
  EXPECT_EQ(shown(of.ident), "unspecified");
  const auto directory = top->child("d", parse("a.c text=auto", false));
  EXPECT_EQ(shown(directory->query("d/a.c").text), "auto");
  EXPECT_EQ(shown(directory->query("d/b.c").text), "unset");
  EXPECT_EQ(shown(directory->child("e", nullptr)->query("d/e/a.c").text), "auto");
}

TEST(Attributes, NoRuleMeansAnEmptyStack) {
  const auto top = AttributeStack::root({{}, parse("*.png diff=exif\nd/ text\n"), nullptr, false});
  EXPECT_TRUE(top->is_empty());
  EXPECT_TRUE(top->child("d", nullptr)->is_empty());
  const auto directory = top->child("d", parse("*.c text", false));
  EXPECT_FALSE(directory->is_empty());
  EXPECT_FALSE(directory->child("e", nullptr)->is_empty());
  EXPECT_EQ(top->query("d/a.c"), Attributes{});
}

TEST(Attributes, OthersAreKeptWhereTheyAreAskedForByName) {
  AttributeStack::Sources sources;
  sources.top = parse("[attr]loud colour=red text\n*.c colour=blue owner\nx.* loud\n*.h -owner loud\n");
  EXPECT_TRUE(AttributeStack::root(sources)->query("a.c").also.empty());
  sources.also = {"colour", "owner", "loud", "text", "nowhere"};
  const auto top = AttributeStack::root(sources);
  const auto of = [&](std::string_view path) {
    std::vector<std::string> states;
    for (const AttributeState& state : top->query(path).also) states.push_back(shown(state));
    return states;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(of("a.c"), Texts({"blue", "set", "unspecified", "unspecified", "unspecified"}));
  EXPECT_EQ(of("x.c"), Texts({"red", "set", "set", "set", "unspecified"}));
  EXPECT_EQ(of("a.h"), Texts({"red", "unset", "set", "set", "unspecified"}));
  EXPECT_EQ(shown(top->query("a.h").text), "set");
}

TEST(Attributes, MacrosInAChainOfAnyLengthEnd) {
  std::string text = "*.c m0\n[attr]m5000 m0 ident\n";
  for (int i = 0; i < 5000; ++i) text += "[attr]m" + std::to_string(i) + " m" + std::to_string(i + 1) + "\n";
  const auto top = AttributeStack::root({{}, parse(text), nullptr, false});
  EXPECT_EQ(shown(top->query("a.c").ident), "set");
}

TEST(Attributes, DoubleStarsBehindALiteralBeginningCrossSlashes) {
  const auto top = AttributeStack::root({{}, parse("foo**/bar text\nf?o**/bar ident"), nullptr, false});
  EXPECT_EQ(shown(top->query("fooxx/bar").text), "set");
  EXPECT_EQ(shown(top->query("foo/x/bar").text), "set");
  EXPECT_EQ(shown(top->query("fooxx/bar").ident), "set");
  EXPECT_EQ(shown(top->query("foo/x/bar").ident), "unspecified");
}

TEST(AttributeFile, WarnsAboutWhatItIgnores) {
  std::vector<std::string> warnings;
  const std::string long_line = "a" + std::string(attribute_line_bytes_max, ' ') + "text\n";
  const auto file = parse_attribute_file("!a text\n[attr]m text\na $x\n" + long_line + "b text\n# ! comment\n\n  \n",
                                         "d/.gitattributes", false, &warnings);
  ASSERT_EQ(file->rules.size(), 1u);
  EXPECT_EQ(file->rules[0].pattern, "b");
  ASSERT_EQ(warnings.size(), 4u);
  EXPECT_EQ(warnings[0],
            "d/.gitattributes:1: negative patterns are ignored in git attributes; use '\\!' for a literal leading '!'");
  EXPECT_NE(warnings[1].find(":2: the macro 'm'"), std::string::npos);
  EXPECT_NE(warnings[2].find(":3: '$x'"), std::string::npos);
  EXPECT_NE(warnings[3].find(":4: a line of 2048 bytes"), std::string::npos);
}

TEST(AttributeFile, IgnoresAFileThatIsTooLarge) {
  std::vector<std::string> warnings;
  std::string text = "a text\n";
  text.resize(attribute_file_bytes_max, '#');
  EXPECT_TRUE(parse_attribute_file(text, "x", true, &warnings)->rules.empty());
  EXPECT_EQ(warnings.size(), 1u);
  text.pop_back();
  EXPECT_EQ(parse_attribute_file(text, "x", true, nullptr)->rules.size(), 1u);
}

// Random attribute files in a small tree, and git's answer for every path.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  std::string_view pick(const std::vector<std::string_view>& from) {
    return from[below(static_cast<unsigned>(from.size()))];
  }

  std::string line() {
    static const std::vector<std::string_view> patterns = {
        "*",           "*.c",    "*.C",        "a.c",         "a*",        "/a.c",    "d/a.c",     "/d/*.c",
        "**/a.c",      "d/**",   "**/e/*",     "d/**/b.h",    "[ab].c",    "[!a].*",  "?.c",       "\"a b.txt\"",
        "\"\\141.c\"", "\"bad",  "\\a.c",      "d/",          "e/*",       "*/a.c",   "d/*/a.c",   "/*",
        "!a.c",        "\\!x",   "*a*b*",      "/d/e/b.h",    "e/b.h",     "**",      "/**",       "[[:alpha:]].c",
        "*.[ch]",      "A.c",    "D/a.c",      "\"[attr]q\"", "/",         "\"\"",    "//a.c",     "a.c/",
        "\"*.c\"",     "b.h\\",  "d**/a.c",    "d**/b.h",     "D/e**/a.c", "?**/a.c", "[d]**/*.c", "d**",
        "\\d**/a.c",   "d/**.c", "e***/a[b]*", "/d**/[!b]*"};
    static const std::vector<std::string_view> states = {"text",
                                                         "-text",
                                                         "!text",
                                                         "text=auto",
                                                         "text=",
                                                         "eol=lf",
                                                         "eol=crlf",
                                                         "-eol",
                                                         "crlf",
                                                         "-crlf",
                                                         "crlf=input",
                                                         "ident",
                                                         "-ident",
                                                         "!ident",
                                                         "filter=f",
                                                         "-filter",
                                                         "!filter",
                                                         "working-tree-encoding=UTF-16",
                                                         "-working-tree-encoding",
                                                         "binary",
                                                         "-binary",
                                                         "!binary",
                                                         "m1",
                                                         "-m1",
                                                         "!m1",
                                                         "m2",
                                                         "-m2",
                                                         "m1=x",
                                                         "m3",
                                                         "diff",
                                                         "-merge",
                                                         "x=y",
                                                         "-text=auto"};
    static const std::vector<std::string_view> bad = {"$x", "=y", "-", "!", "--text", "t\xc3\xa4", "#no"};
    static const std::vector<std::string_view> gaps = {" ", "\t", "  ", " \t "};
    if (below(12) == 0) return std::string(pick({"", "# comment", "  # comment", "   ", "\xef\xbb\xbf*.c text"}));
    std::string text(below(10) == 0 ? " " : "");
    text += below(5) == 0
                ? pick({"[attr]m1", "[attr]m2", "[attr]m3", "[attr]binary", "[attr]text", "[attr]", "[attr]-x"})
                : pick(patterns);
    for (unsigned n = below(4); n > 0; --n) text.append(pick(gaps)).append(below(30) == 0 ? pick(bad) : pick(states));
    if (below(8) == 0) text += " ";
    if (below(10) == 0) text += "\r";
    return text;
  }

  std::string file() {
    std::string text;
    for (unsigned n = below(9); n > 0; --n) text += line() + "\n";
    if (!text.empty() && below(6) == 0) text.pop_back();
    return text;
  }

 private:
  std::mt19937 engine_;
};

const std::vector<std::string> paths = {"a.c",      "b.c",     "A.C",   "a b.txt",   "!x",      "x.h",
                                        "aab",      "d/a.c",   "d/b.h", "d/e/a.c",   "d/e/b.h", "d/e/f/a.c",
                                        "e/a.c",    "e/b.h",   "D2/a",  "d/x/b.h",   "d/A.c",   "[attr]q",
                                        "e/e/ab.c", "d/e/x.C", "b.h\\", "d/e/f/b.h", "a.c2",    "d/ab"};

std::vector<std::string> ask_git(const test::GitOracle& git, bool casefold, const std::string& user_file) {
  std::string input;
  for (const std::string& path : paths) input += path + '\0';
  const auto answer = git.run(
      {"-c", casefold ? "core.ignoreCase=true" : "core.ignoreCase=false", "-c", "core.attributesFile=" + user_file,
       "check-attr", "-z", "--stdin", "text", "crlf", "eol", "ident", "filter", "working-tree-encoding"},
      input);
  std::vector<std::string> values;
  std::size_t field = 0;
  for (std::size_t at = 0; at < answer.out.size(); ++field) {
    const std::size_t end = answer.out.find('\0', at);
    if (field % 3 == 2) values.push_back(answer.out.substr(at, end - at));
    at = end + 1;
  }
  return values;
}

TEST(Attributes, AgreeWithGitOnRandomFiles) {
  const test::GitOracle git;
  const std::string user_file = git.home() + "/user-attributes";
  int decided = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const bool casefold = random.below(4) == 0;
    std::map<std::string, SharedAttributeFile> files;
    std::string all;
    for (const std::string directory : {"", "d/", "d/e/", "d/e/f/", "e/"}) {
      const std::string text = random.file();
      git.write(directory + ".gitattributes", text);
      files[directory] = parse(text, directory.empty());
      all += "--- " + directory + "\n" + text;
    }
    const std::string info = random.file(), user = random.file();
    git.write(".git/info/attributes", info);
    git.write_outside("user-attributes", user);
    all += "--- info\n" + info + "--- user\n" + user;

    const auto top = AttributeStack::root({{nullptr, parse(user)}, files[""], parse(info), casefold});
    const std::vector<std::string> wanted = ask_git(git, casefold, user_file);
    ASSERT_EQ(wanted.size(), paths.size() * 6);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      auto stack = top;
      for (std::size_t slash = paths[i].find('/'), begin = 0; slash != std::string::npos;
           begin = slash + 1, slash = paths[i].find('/', begin)) {
        const auto file = files.find(paths[i].substr(0, slash + 1));
        stack = stack->child(paths[i].substr(begin, slash - begin), file == files.end() ? nullptr : file->second);
      }
      const Attributes of = stack->query(paths[i]);
      const std::vector<std::string> ours = {shown(of.text),  shown(of.crlf),   shown(of.eol),
                                             shown(of.ident), shown(of.filter), shown(of.working_tree_encoding)};
      const std::vector<std::string> theirs(wanted.begin() + static_cast<long>(i * 6),
                                            wanted.begin() + static_cast<long>(i * 6 + 6));
      ASSERT_EQ(ours, theirs) << "seed " << seed << ", " << paths[i] << ", casefold " << casefold << "\n" << all;
      for (const std::string& value : theirs) decided += value != "unspecified";
    }
  }
  EXPECT_GT(decided, 3000);
}

}  // namespace
}  // namespace pfetch::checkout
