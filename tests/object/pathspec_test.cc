#include "object/pathspec.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/dice.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"
#include "tests/support/seeds.h"

namespace pfetch::object {
namespace {

using test::error_message;
using Texts = std::vector<std::string>;

const Texts all_paths = {
    "!bang",       "^hat",       ":colon",  "A/B",   "Sub/Y",     "a/b/back\\slash", "a/b/c",  "a/b2",  "mod", "st*r",
    "sub/:(top)q", "sub/deep/z", "sub/x.c", "sub.x", "w[ab]/x.c", "w[ab]/y/x.c",     "wa/x.c", "wa/x1", "x.c", "Y.C"};
const std::string gitlink = "mod";

struct Asked {
  PathspecRules rules;
  Texts texts;
};

Texts matching(const Asked& asked, const PathspecAttributeTest& attributes = {}) {
  const Pathspec pathspec(asked.texts, asked.rules);
  std::set<std::string> found;
  for (const std::string& path : all_paths) {
    if (pathspec.matches(path, path == gitlink, attributes)) found.insert(path);
  }
  return {found.begin(), found.end()};
}

Texts in_sub(const std::string& text) {
  return matching({{.prefix = "sub/", .work_tree = "/top"}, {text}});
}

TEST(Pathspec, NamesFilesDirectoriesAndPatterns) {
  EXPECT_EQ(in_sub("x.c"), Texts({"sub/x.c"}));
  EXPECT_EQ(in_sub("x.c/"), Texts());
  EXPECT_EQ(in_sub("deep/../x.c"), Texts({"sub/x.c"}));
  EXPECT_EQ(in_sub("deep"), Texts({"sub/deep/z"}));
  EXPECT_EQ(in_sub("deep/."), Texts({"sub/deep/z"}));
  EXPECT_EQ(in_sub("../a/*"), Texts({"a/b/back\\slash", "a/b/c", "a/b2"}));
  EXPECT_EQ(in_sub(":(top,glob)a/*"), Texts({"a/b2"}));
  EXPECT_EQ(in_sub(":(literal,top)st*r"), Texts({"st*r"}));
  EXPECT_EQ(in_sub("../mod/"), Texts({"mod"}));
  EXPECT_EQ(in_sub(":/!bang"), matching({{}, {":!bang"}}));
  EXPECT_EQ(in_sub("/top//sub/./x.c"), Texts({"sub/x.c"}));
  EXPECT_EQ(in_sub("/top"), matching({{}, {"."}}));
}

TEST(Pathspec, WithoutItemsMatchesEverything) {
  EXPECT_TRUE(Pathspec().matches("any"));
  EXPECT_TRUE(Pathspec().may_match_below("any"));
  EXPECT_TRUE(Pathspec().empty());
}

TEST(Pathspec, ExclusionsAloneLeaveTheRestOfTheWorktreeOrOfTheDirectory) {
  PathspecRules rules{.prefix = "sub/"};
  EXPECT_EQ(matching({rules, {":!x.c"}}).size(), all_paths.size() - 1);
  rules.rest_is_here = true;
  EXPECT_EQ(matching({rules, {":!x.c"}}), Texts({"sub/:(top)q", "sub/deep/z"}));
}

TEST(Pathspec, FindsTheWorktreeBehindSymbolicLinks) {
  PathspecRules rules{.work_tree = "/real/top"};
  rules.real_path = [](const std::string& path) -> std::optional<std::string> {
    return path == "/link" ? std::optional<std::string>("/real/top") : path;
  };
  EXPECT_EQ(matching({rules, {"/link/sub/x.c"}}), Texts({"sub/x.c"}));
  EXPECT_EQ(matching({rules, {"/link"}}).size(), all_paths.size());
  EXPECT_NE(error_message([&] { Pathspec(Texts{"/links/x"}, rules); }, ErrorCode::usage), "accepted");
}

TEST(Pathspec, IsRefusedInGitsWords) {
  const std::map<std::string, std::string> refusals = {
      {"", "empty string is not a valid pathspec. please use . instead if you meant to match all paths"},
      {":!../../x", ":!../../x: '../../x' is outside repository at '/top'"},
      {"/top/../x", "/top/../x: '/top/../x' is outside repository at '/top'"},
      {"/topx", "/topx: '/topx' is outside repository at '/top'"},
      {":@x", "Unimplemented pathspec magic '@' in ':@x'"},
      {":(top", "Missing ')' at the end of pathspec magic in ':(top'"},
      {":(foo)x", "Invalid pathspec magic 'foo' in ':(foo)x'"},
      {":(glob,literal)x", ":(glob,literal)x: 'literal' and 'glob' are incompatible"},
      {":(attr:)x", "attr spec must not be empty"},
      {":(attr:a,attr:b)x", "Only one 'attr:' specification is allowed."},
      {":(attr:-foo=x)", "invalid attribute name foo=x"},
      {":(attr:foo=a.b)", "cannot use '.' for value matching"},
      {":(attr:foo=a\\", "Escape character '\\' not allowed as last character in attr value"},
  };
  for (const auto& [text, message] : refusals) {
    EXPECT_EQ(error_message([&, given = text] { in_sub(given); }, ErrorCode::usage), message);
  }
  EXPECT_EQ(error_message([] { Pathspec(Texts{"x"}, {.literal = true, .icase = true}); }),
            "global 'literal' pathspec setting is incompatible with all other global pathspec settings");
  EXPECT_EQ(error_message([] { Pathspec(Texts{"x"}, {.glob = true, .noglob = true}); }),
            "global 'glob' and 'noglob' pathspec settings are incompatible");
}

TEST(Pathspec, AsksForAttributes) {
  std::vector<PathspecAttribute> seen;
  const auto test = [&](std::string_view path, std::span<const PathspecAttribute> wanted) {
    seen.assign(wanted.begin(), wanted.end());
    return path == "x.c";
  };
  EXPECT_EQ(matching({{}, {":(attr:text -a !b c=1\\,2)*.c"}}, test), Texts({"x.c"}));
  using Kind = PathspecAttribute::Kind;
  EXPECT_EQ(
      seen,
      (std::vector<PathspecAttribute>{
          {"text", Kind::set, ""}, {"a", Kind::unset, ""}, {"b", Kind::unspecified, ""}, {"c", Kind::value, "1,2"}}));
  EXPECT_TRUE(Pathspec(Texts{":(attr:text)"}, {}).has_attributes());
  EXPECT_FALSE(Pathspec(Texts{":(attr)"}, {}).has_attributes());
}

TEST(Pathspec, KnowsWhichItemsNeverMatched) {
  const Pathspec pathspec(Texts{"x.c", "nope", "*.c", ":(icase)SUB", ":!sub", "x.c", "also*not"}, {});
  PathspecMatches one;
  PathspecMatches other;
  EXPECT_EQ(pathspec.unmatched(one), Texts({"x.c", "nope", "*.c", ":(icase)SUB", ":!sub", "x.c", "also*not"}));
  EXPECT_TRUE(pathspec.matches("x.c", false, {}, &one));
  EXPECT_FALSE(pathspec.matches("sub/z", false, {}, &other));  // but two items name it
  one |= other;
  EXPECT_EQ(pathspec.unmatched(one), Texts({"nope", "also*not"}));
}

TEST(Pathspec, NamesExclusionsAsUnmatchedWhereThereIsNothingToExcludeFrom) {
  const Pathspec pathspec(Texts{"x.c", ":!sub", ":!a*"}, {});
  PathspecMatches matched;
  EXPECT_FALSE(pathspec.matches("sub", false, {}, &matched));
  EXPECT_FALSE(pathspec.matches("y.c", false, {}, &matched));
  EXPECT_EQ(pathspec.unmatched(matched), Texts({"x.c", ":!sub", ":!a*"}));
  EXPECT_TRUE(pathspec.matches("x.c", false, {}, &matched));
  EXPECT_EQ(pathspec.unmatched(matched), Texts());
}

TEST(Pathspec, SkipsDirectoriesThatCannotMatch) {
  const Pathspec pathspec(Texts{"a/b/c", "d", "e/f*g/h", ":(icase)I/j", ":!d/no", ":!x/"}, {});
  for (const char* directory : {"", "a", "a/b", "a/b/c", "d", "d/e", "d/e/f", "e", "e/f", "e/fg", "e/fx/y", "I", "i"}) {
    EXPECT_TRUE(pathspec.may_match_below(directory)) << directory;
  }
  for (const char* directory : {"b", "a/c", "a/bb", "a/b/d", "dd", "d/no", "d/no/z", "e/g", "ee", "i/k", "x"}) {
    EXPECT_FALSE(pathspec.may_match_below(directory)) << directory;
  }
}

// A repository with all_paths, and attributes for some of them.
class Oracle {
 public:
  Oracle() {
    scratch_.out_of("git init -q -b main repo");
    for (const std::string& path : all_paths) {
      if (path != gitlink) scratch_.write("repo/" + path, "");
    }
    scratch_.write("repo/.git/info/attributes", "*.c foo bar=one\nsub/** -foo\nx.c bar\nwa/* bar=two\n");
    scratch_.out_of(
        "cd repo && git add . && git update-index --add --cacheinfo "
        "160000,1234567890123456789012345678901234567890,mod");
    for (const std::string name : {"foo", "bar"}) {
      for (const std::string& path : all_paths) {
        const std::string line =
            scratch_.out_of("cd repo && git check-attr " + name + " -- " + base::shell_quote(path));
        states_[{path, name}] = line.substr(line.rfind(' ') + 1);
      }
    }
  }

  std::string top() const { return scratch_ / "repo"; }

  bool has(std::string_view path, const PathspecAttribute& wanted) const {
    using Kind = PathspecAttribute::Kind;
    const auto known = states_.find({std::string(path), wanted.name});
    const std::string state = known == states_.end() ? "unspecified" : known->second;
    switch (wanted.kind) {
      case Kind::set:
        return state == "set";
      case Kind::unset:
        return state == "unset";
      case Kind::unspecified:
        return state == "unspecified";
      case Kind::value:
        return state == wanted.value;
    }
    return false;
  }

  // What git lists, or its error.
  std::string ls_files(const Asked& asked) const {
    std::string script = "cd " + base::shell_quote("repo/" + asked.rules.prefix) + " && git";
    if (asked.rules.literal) script += " --literal-pathspecs";
    if (asked.rules.glob) script += " --glob-pathspecs";
    if (asked.rules.noglob) script += " --noglob-pathspecs";
    if (asked.rules.icase) script += " --icase-pathspecs";
    script += " ls-files --full-name -z --";
    for (const std::string& text : asked.texts) script += " " + base::shell_quote(text);
    std::string out = scratch_.output(script);
    for (char& c : out) c = c == '\0' ? '\n' : c;
    return out;
  }

  std::string our_answer(const Asked& asked) const {
    try {
      std::string list;
      for (const std::string& path :
           matching(asked, [this](std::string_view path, std::span<const PathspecAttribute> wanted) {
             return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) { return has(path, one); });
           })) {
        list += path + "\n";
      }
      return list;
    } catch (const Error& error) {
      return "fatal: " + error.message() + "\n";
    }
  }

 private:
  test::Scratch scratch_;
  std::map<std::pair<std::string, std::string>, std::string> states_;
};

class Dice : public test::Dice {
 public:
  using test::Dice::Dice;

  std::string path() {
    static const Texts parts = {"a",  "b",   "b2",   "sub",         "SUB",     "deep",   "z",   "x.c",  "*",
                                "**", "*.c", "?",    "w[ab]",       "..",      "..",     ".",   "",     "mod",
                                "wa", "x*",  "s*",   "w?",          "st*r",    "st\\*r", "y.c", "*b",   "w*/x",
                                "b*", "su",  "nope", "back\\slash", ":(top)q", ":colon", "*x*", "[sw]*"};
    if (one_in(3)) return pick(all_paths);
    std::string path = pick(parts);
    while (one_in(2)) path += "/" + pick(parts);
    return path;
  }
  std::string text(const std::string& top) {
    static const Texts magic = {":/",
                                ":!",
                                ":^",
                                "::",
                                ":/!:",
                                ":",
                                ":(top)",
                                ":(icase)",
                                ":(glob)",
                                ":(literal)",
                                ":(top,glob)",
                                ":(exclude)",
                                ":(attr:foo)",
                                ":(attr:-foo)",
                                ":(attr:!bar)",
                                ":(attr:bar=one)",
                                ":(attr:bar foo)",
                                ":(exclude,attr:bar=two)",
                                ":(icase,glob)",
                                ":(top,icase,exclude)",
                                ":(,glob,)",
                                ":(glob,literal)",
                                ":(",
                                ":^/"};
    std::string text = path();
    if (one_in(12)) text.insert(0, top + "/");
    if (one_in(2)) text.insert(0, pick(magic));
    return text;
  }

  Asked asked(const std::string& top) {
    Asked asked;
    asked.rules.prefix = pick(Texts{"", "", "sub/", "sub/deep/", "w[ab]/", "a/b/"});
    asked.rules.work_tree = top;
    asked.rules.rest_is_here = true;
    asked.rules.literal = one_in(12);
    asked.rules.glob = !asked.rules.literal && one_in(8);
    asked.rules.noglob = !asked.rules.glob && one_in(8);
    asked.rules.icase = !asked.rules.literal && one_in(8);
    if (one_in(10)) {  // nothing but an exclusion
      asked.rules.prefix.clear();
      asked.texts = {":!" + path()};
      return asked;
    }
    do asked.texts.push_back(text(top));
    while (one_in(2));
    // Git 2.39's ls-files compares exclusions and attributes only behind what all items have in common at their front.
    // An item that matches nothing, and has nothing in common with others, keeps it from that.
    asked.texts.push_back(":(top)not-there");
    return asked;
  }
};

std::string described(const Asked& asked) {
  std::string all = "in '" + asked.rules.prefix + "':";
  if (asked.rules.literal) all += " literal";
  if (asked.rules.glob) all += " glob";
  if (asked.rules.noglob) all += " noglob";
  if (asked.rules.icase) all += " icase";
  for (const std::string& text : asked.texts) all += " '" + text + "'";
  return all;
}

void check_directories(const Asked& asked) {
  const Pathspec pathspec(asked.texts, asked.rules);
  if (pathspec.has_attributes()) return;
  for (const std::string& path : all_paths) {
    if (!pathspec.matches(path, path == gitlink)) continue;
    EXPECT_TRUE(pathspec.may_match_below("")) << described(asked);
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      EXPECT_TRUE(pathspec.may_match_below(path.substr(0, slash))) << path << " " << described(asked);
    }
  }
}

TEST(PathspecBesideGit, RandomPathspecsChooseTheSamePaths) {
  const Oracle oracle;
  const unsigned seeds = test::seed_count(600);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Asked asked = Dice(seed).asked(oracle.top());
    const std::string ours = oracle.our_answer(asked);
    const std::string theirs = oracle.ls_files(asked);
    if (theirs.starts_with("fatal: Invalid path '")) {  // git looks on disk for what an absolute path leads to
      EXPECT_NE(ours.find("is outside repository at"), std::string::npos) << ours << described(asked);
      continue;
    }
    ASSERT_EQ(ours, theirs) << "seed " << seed << " " << described(asked);
    if (!ours.starts_with("fatal: ")) check_directories(asked);
  }
}

}  // namespace
}  // namespace pfetch::object
