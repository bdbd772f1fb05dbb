// Revision expressions mean what git rev-parse says they mean.
#include "session/revision.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"
#include "tests/support/seeds.h"

namespace pfetch::session {
namespace {

class Words final : public Reporter {
 public:
  std::string text;
  void say(std::string_view line) override { put("", line); }
  void warn(std::string_view line) override { put("warning: ", line); }
  void complain(std::string_view line) override { put("error: ", line); }
  void remote(std::string_view, char) override {}
  void yield_terminal(bool) override {}

 private:
  void put(std::string_view prefix, std::string_view line) { text.append(prefix).append(line).append("\n"); }
};

class RevisionTest : public ::testing::Test {
 protected:
  // Merges, tags of all kinds, a remote, reflogs, packed and loose objects, names that stand for several refs.
  RevisionTest() {
    scratch.out_of(R"(
      git init -q -b main up; cd up
      for i in 1 2 3; do echo $i > a; mkdir -p d/e; echo $i > d/e/f$i; git add .; git commit -q -m "c$i"; done
      git checkout -q -b topic HEAD~1; echo t > t; git add .; git commit -q -m t1; git commit -q --allow-empty -m t2
      git checkout -q main; git merge -q --no-edit topic; git tag light; git tag -a -m ann ann
      git tag -a -m nest nest ann
      git tag tree HEAD^{tree}; git tag blob HEAD:a; git tag -a -m tt tt HEAD^{tree}; git repack -q -a -d
      cd ..; git clone -q up r; cd r
      git checkout -q topic; git checkout -q --detach HEAD~1; git checkout -q main; git commit -q --allow-empty -m local
      git checkout -q -b side main~2; git commit -q --allow-empty -m "side 1"; git checkout -q main; git tag topic side
      git branch lone; git reset -q --hard HEAD~1; git reset -q --hard HEAD@{1})");
  }
  repo::Repository repository() const {
    const std::map<std::string, std::string> variables = {{"GIT_CONFIG_NOSYSTEM", "1"}, {"HOME", "/nonexistent"}};
    return repo::Repository::discover(repo::Environment::from(variables), scratch / "r");
  }
  std::string git(const std::string& expression) const {
    const test::Ran ran =
        scratch.run("cd r && git rev-parse -q --verify " + base::shell_quote(expression) + " 2>/dev/null");
    return ran.ok() ? test::without_final_newline(ran.out) : "nothing";
  }

  test::Scratch scratch;
};

class Asked {
 public:
  explicit Asked(const repo::Repository& repository, const std::string& prefix = "")
      : stock_(repository), revisions_(stock_, words, prefix) {}
  // What is refused by name counts as refused, what git dies of as nothing.
  std::string operator()(const std::string& expression) {
    try {
      const auto id = revisions_.find(expression);
      return id ? id->hex() : "nothing";
    } catch (const Error& error) {
      return error.code() == ErrorCode::unsupported ? "refused" : "nothing";
    }
  }
  Revisions& revisions() { return revisions_; }
  Stock& stock() { return stock_; }
  Words words;

 private:
  Stock stock_;
  Revisions revisions_;
};

TEST_F(RevisionTest, MeansWhatGitSays) {
  const repo::Repository opened = repository();
  Asked ask(opened);
  for (const char* expression : {"main",
                                 "HEAD",
                                 "@",
                                 "@~1",
                                 "@^",
                                 "main^2",
                                 "main^2~1",
                                 "main^3",
                                 "main~99",
                                 "main^0",
                                 "main^00",
                                 "light",
                                 "ann",
                                 "nest",
                                 "ann^{}",
                                 "nest^{}",
                                 "nest^{tag}",
                                 "ann^{commit}",
                                 "ann^{tree}",
                                 "ann^{blob}",
                                 "ann^{object}",
                                 "light^{tag}",
                                 "tree",
                                 "tree^{tree}",
                                 "tree^{commit}",
                                 "tree^",
                                 "tt^{tree}",
                                 "tt^{}",
                                 "blob",
                                 "blob^{blob}",
                                 "blob^{}",
                                 "blob^{tree}",
                                 "blob^",
                                 "main:",
                                 "main:a",
                                 "main:d",
                                 "main:d/",
                                 "main:d/e/f1",
                                 "main:d/e/",
                                 "main:a/",
                                 "main:a/x",
                                 "main:nope",
                                 "main:./a",
                                 "main:../a",
                                 "tree:a",
                                 "tt:a",
                                 "blob:a",
                                 "ann:d/e",
                                 "main^{tree}:d",
                                 "main~1:d/e/f3",
                                 "topic",
                                 "heads/topic",
                                 "tags/topic",
                                 "refs/heads/topic",
                                 "refs/tags/topic",
                                 "origin",
                                 "origin/main",
                                 "remotes/origin/topic",
                                 "origin/HEAD",
                                 "refs/remotes/origin/HEAD",
                                 "nosuch",
                                 "",
                                 "main^",
                                 "main^^",
                                 "main^^2",
                                 "main~",
                                 "main~~",
                                 "main~1~1",
                                 "main~0",
                                 "main^{",
                                 "main^{}x",
                                 "main^{foo}",
                                 "main^1a",
                                 "@{0}",
                                 "@{1}",
                                 "@{2}",
                                 "@{3}",
                                 "@{9}",
                                 "main@{0}",
                                 "main@{2}",
                                 "main@{3}",
                                 "main@{4}",
                                 "main@{5}",
                                 "HEAD@{0}",
                                 "HEAD@{1}",
                                 "HEAD@{5}",
                                 "HEAD@{50}",
                                 "side@{0}",
                                 "side@{1}",
                                 "side@{2}",
                                 "nosuch@{0}",
                                 "lone@{0}",
                                 "lone@{1}",
                                 "light@{0}",
                                 "origin@{0}",
                                 "origin/main@{0}",
                                 "@{-1}",
                                 "@{-2}",
                                 "@{-3}",
                                 "@{-4}",
                                 "@{-5}",
                                 "@{-6}",
                                 "@{-7}",
                                 "@{-0}",
                                 "@{-1}~1",
                                 "@{-1}^{tree}",
                                 "@{-1}@{0}",
                                 "@{u}",
                                 "@{upstream}",
                                 "@{UPSTREAM}",
                                 "main@{u}",
                                 "main@{u}~1",
                                 "HEAD@{u}",
                                 "@@{u}",
                                 "topic@{u}",
                                 "side@{u}",
                                 "nosuch@{u}",
                                 "@{-1}@{u}",
                                 "@{-4}@{u}",
                                 "refs/heads/main@{u}",
                                 "light-0-gabc",
                                 "x-g",
                                 ":a",
                                 ":0:a",
                                 ":1:a",
                                 ":nope",
                                 ":d/e/f1",
                                 ":d",
                                 ":./a",
                                 "main..side",
                                 "main...side",
                                 "main^@",
                                 "main^!",
                                 "main^-",
                                 "main@{",
                                 "main@{}",
                                 "@{",
                                 "@{}",
                                 "main:a:b",
                                 "HEAD:d/../a",
                                 "0000000000000000000000000000000000000000",
                                 "HEAD^{commit}^{tree}^{}",
                                 "main@{0}~1",
                                 "main@{1}^{tree}:a"}) {
    EXPECT_EQ(ask(expression), git(expression)) << expression;
  }
}

// Not with entries of reflogs: git reads the whole of "main@{1}^{blob}" as a date where it is no blob.
TEST_F(RevisionTest, MeansWhatGitSaysForRandomExpressions) {
  const repo::Repository opened = repository();
  const std::vector<std::string> names = {
      "main",  "topic", "HEAD",  "@",           "ann",  "nest", "tree",   "blob",           "tt", "light", "side",
      "@{-1}", "@{u}",  "@{-2}", "origin/main", "lone", "nope", "origin", "refs/heads/side"};
  const std::vector<std::string> suffixes = {"^",  "~",         "^2",      "~2",        "~3",     "^0",      "^1",
                                             "~0", "^{commit}", "^{tree}", "^{object}", "^{tag}", "^{blob}", "^{}"};
  const std::vector<std::string> paths = {":", ":a", ":d", ":d/e", ":d/e/f2", ":t", ":x"};
  std::string script = "cd r\n";
  std::vector<std::string> expressions;
  for (unsigned i = 0; i < 20 * test::seed_count(20); ++i) {
    std::mt19937 random(i);
    std::string expression = names[random() % names.size()];
    for (unsigned n = random() % 4; n > 0; --n) expression += suffixes[random() % suffixes.size()];
    if (random() % 4 == 0) expression += paths[random() % paths.size()];
    script += "git rev-parse -q --verify " + base::shell_quote(expression) + " 2>/dev/null || echo nothing\n";
    expressions.push_back(std::move(expression));
  }
  scratch.write("ask", script);  // too long for an argument
  std::string rest = scratch.bytes_of("sh ask");
  Asked ask(opened);
  for (const std::string& expression : expressions) {
    const std::string expected = rest.substr(0, rest.find('\n'));
    rest.erase(0, expected.size() + 1);
    EXPECT_EQ(ask(expression), expected) << expression;
  }
}

TEST_F(RevisionTest, KnowsAbbreviatedIdsAsGitDoes) {
  scratch.out_of(
      "cd r && for i in $(seq 700); do echo $i; done > n && split -l 1 n n. && git hash-object -w n.* >/dev/null");
  const repo::Repository opened = repository();
  Asked ask(opened);
  std::string ids = scratch.out_of("cd r && git cat-file --batch-all-objects --batch-check='%(objectname)'") + "\n";
  std::string script = "cd r\n";
  std::vector<std::string> expressions;
  for (std::size_t at = 0; at < ids.size() && expressions.size() < 600; at += 41 * 5) {
    const std::string id = ids.substr(at, 40);
    for (const std::string& expression :
         {id.substr(0, 3), id.substr(0, 4), id.substr(0, 5) + "^{commit}", "x-1-g" + id.substr(0, 6)}) {
      script += "git rev-parse -q --verify '" + expression + "' 2>/dev/null || echo nothing\n";
      expressions.push_back(expression);
    }
  }
  std::string rest = scratch.bytes_of(script);
  for (const std::string& expression : expressions) {
    const std::string expected = rest.substr(0, rest.find('\n'));
    rest.erase(0, expected.size() + 1);
    EXPECT_EQ(ask(expression), expected) << expression;
  }
}

TEST_F(RevisionTest, NamesTheCandidatesOfAnAmbiguousId) {
  scratch.out_of(
      "cd r && for i in $(seq 2500); do echo $i; done > n && split -a 3 -l 1 n n. && git hash-object -w n.* "
      ">/dev/null");
  const std::string prefix = scratch.out_of(
      "cd r && git cat-file --batch-all-objects --batch-check='%(objectname)' | cut -c1-4 | uniq -d | head -1");
  ASSERT_EQ(prefix.size(), 4U);
  const repo::Repository opened = repository();
  Asked ask(opened);
  EXPECT_EQ(ask(prefix), "nothing");
  const std::string said = scratch.output("cd r && git cat-file -t " + prefix);
  EXPECT_EQ(ask.words.text, said.substr(0, said.find("fatal: ")));
}

TEST_F(RevisionTest, FindsCommitsByTheirMessage) {
  scratch.out_of(R"(cd r; for i in 1 2 3; do
      GIT_COMMITTER_DATE="17000000${i}0 +0000" git commit -q --allow-empty -m "young $i" -m "body $i"; done)");
  const repo::Repository opened = repository();
  Asked ask(opened);
  for (const char* expression : {":/young", ":/young 2", ":/body [12]", ":/^body 1", ":/nope", ":/!-3", ":/!!x", ":/!x",
                                 ":/", ":/(", "HEAD^{/young 1}", "HEAD^{/nope}", "HEAD^{/!-young}", "main^{/}",
                                 "HEAD^{/y.*2}^", "nope^{/x}", "tree^{/x}", "topic^{/young}"}) {
    EXPECT_EQ(ask(expression), git(expression)) << expression;
  }
}

TEST_F(RevisionTest, RefusesByNameWhatItDoesNotSearchFor) {
  const repo::Repository opened = repository();
  Asked ask(opened);
  for (const char* expression : {"main@{yesterday}", "@{1.day.ago}", "main@{push}"}) {
    EXPECT_EQ(ask(expression), "refused") << expression;
  }
}

TEST_F(RevisionTest, SpeaksAsGitWhereGitDies) {
  const repo::Repository opened = repository();
  Asked ask(opened);
  for (const char* expression : {"main@{50}", "nosuch@{u}", "side@{u}", "@{50}", "HEAD@{50}"}) {
    const std::string said = scratch.output("cd r && git rev-parse " + base::shell_quote(expression));
    const std::string ours = test::error_message([&] { ask.revisions().find(expression); }, ErrorCode::not_found);
    EXPECT_EQ("fatal: " + ours + "\n", said) << expression;
  }
}

TEST_F(RevisionTest, WarnsOfAmbiguousNames) {
  const repo::Repository opened = repository();
  Asked ask(opened);
  ask("topic");
  EXPECT_EQ(ask.words.text, "warning: refname 'topic' is ambiguous.\n");
}

TEST_F(RevisionTest, FindsTheOneMergeBase) {
  const repo::Repository opened = repository();
  Asked ask(opened);
  const std::string base = scratch.out_of("cd r && git merge-base main side");
  EXPECT_EQ(ask.revisions().find_or_merge_base("main...side")->hex(), base);
  EXPECT_EQ(ask.revisions().find_or_merge_base("...side")->hex(), base);
  EXPECT_EQ(ask.revisions().find_or_merge_base("side...")->hex(), base);
  EXPECT_FALSE(ask.revisions().find_or_merge_base("nope..."));
}

TEST_F(RevisionTest, HasNoParentsBehindTheBoundary) {
  scratch.out_of("git clone -q --depth 2 file://$PWD/up s; rm -rf r; mv s r");
  const repo::Repository opened = repository();
  Asked ask(opened);
  for (const char* expression : {"main", "main~1", "main^2", "main~2", "main^2~1", "main^2^", "main~1^2"}) {
    EXPECT_EQ(ask(expression), git(expression)) << expression;
  }
}

TEST_F(RevisionTest, CountsPathsFromWhereItStands) {
  const repo::Repository opened = repository();
  Asked ask(opened, "d/e/");
  EXPECT_EQ(ask("main:./f1"), git("main:d/e/f1"));
  EXPECT_EQ(ask("main:../../a"), git("main:a"));
  EXPECT_EQ(ask("main:a"), git("main:a"));
  EXPECT_EQ(ask("main:./"), git("main:d/e"));
  EXPECT_EQ(ask(":./f1"), git(":d/e/f1"));
}

}  // namespace
}  // namespace pfetch::session
