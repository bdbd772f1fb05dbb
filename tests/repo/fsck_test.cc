#include "repo/fsck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/error.h"
#include "base/sha1.h"
#include "tests/support/error_message.h"
#include "tests/support/git_fixture.h"

namespace pfetch::repo {
namespace {

using namespace std::string_literals;
using object::Kind;
using object::Oid;
using store::GitFixture;

const std::string some_id(Oid::raw_size, '\x11');
const std::string some_hex(Oid::hex_size, '1');    // a tree, wherever it is named
const std::string commit_hex(Oid::hex_size, '2');  // git takes an id for one kind of object only
const std::string person = "A U Thor <a@x> 1700000000 +0000\n";

std::string entry(const std::string& mode, const std::string& name, const std::string& id = some_id) {
  return mode + " " + name + "\0"s + id;
}

std::string commit(const std::string& author, const std::string& committer = person,
                   const std::string& rest = "\nm\n") {
  return "tree " + some_hex + "\nauthor " + author + "committer " + committer + rest;
}

std::string tag(const std::string& rest) {
  return "object " + commit_hex + "\ntype commit\n" + rest;
}

struct Sample {
  Kind kind;
  std::string bytes;
};

// "error badEmail", "warning hasDot": severities as `git fsck` prints them.
using Verdict = std::set<std::string>;

Verdict verdict_of(const std::vector<FsckFinding>& findings) {
  Verdict verdict;
  for (const FsckFinding& finding : findings) {
    verdict.insert((finding.is_error() ? "error " : "warning ") + std::string(fsck_id_name(finding.id)));
  }
  return verdict;
}

base::SharedBytes shared(const std::string& text) {
  return base::SharedBytes::copy_of(base::as_bytes(text));
}

// Stores the samples as they are, runs `git fsck` over all of them, and compares what it says about each.
class Oracle {
 public:
  void add(Kind kind, const std::string& bytes) {
    const std::string name = "sample" + std::to_string(count_++);
    repository_.write(name, bytes);
    names_[kind] += name + "\n";
    order_[kind].push_back(bytes);
  }

  void compare() {
    std::map<Oid, Sample> samples;
    for (const auto& [kind, names] : names_) {
      repository_.write("list", names);
      std::istringstream ids(repository_.git("hash-object -w --literally -t " + std::string(object::kind_name(kind)) +
                                             " --stdin-paths < list"));
      std::string hex;
      for (const std::string& bytes : order_[kind]) {
        ASSERT_TRUE(std::getline(ids, hex));
        samples[Oid::from_hex(hex).value()] = {kind, bytes};
      }
    }
    std::map<Oid, Verdict> git;
    std::istringstream lines(repository_.run("git fsck --no-dangling 2>&1 || true"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string severity, in, kind, hex, id;
      words >> severity >> in >> kind >> hex >> id;
      if ((severity != "error" && severity != "warning") || in != "in" || id.back() != ':') continue;
      git[Oid::from_hex(hex.substr(0, Oid::hex_size)).value()].insert(severity + " " + id.substr(0, id.size() - 1));
    }
    const FsckRules rules;
    std::map<Oid, Verdict> ours;
    std::vector<FsckNamed> named;
    for (const auto& [id, sample] : samples) {
      ours[id] = verdict_of(rules.check(id, sample.kind, base::as_bytes(sample.bytes), &named));
    }
    for (const FsckNamed& each : named) {
      const auto found = samples.find(each.id);
      if (found == samples.end()) continue;
      const object::Object object{found->second.kind, shared(found->second.bytes)};
      ours[each.id].merge(verdict_of(rules.check_named(each, &object, false)));
    }
    int flawed = 0;
    for (const auto& [id, sample] : samples) {
      EXPECT_EQ(ours[id], git[id]) << kind_name(sample.kind) << " " << id.hex() << ":\n" << sample.bytes;
      if (!git[id].empty()) ++flawed;
    }
    EXPECT_GT(flawed, 0) << "git found nothing: the comparison is empty";
  }

  const GitFixture& repository() const { return repository_; }

 private:
  GitFixture repository_;
  std::map<Kind, std::string> names_;
  std::map<Kind, std::vector<std::string>> order_;
  int count_ = 0;
};

std::string id_of(Kind kind, const std::string& bytes) {
  const std::string header = std::string(object::kind_name(kind)) + " " + std::to_string(bytes.size()) + "\0"s;
  const base::Sha1Digest digest = base::sha1_checked(base::as_bytes(header), base::as_bytes(bytes)).digest;
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

TEST(Fsck, SaysOfTreesWhatGitSays) {
  Oracle oracle;
  for (const std::string name : {"a",
                                 ".",
                                 "..",
                                 ".git",
                                 ".GIT",
                                 ".git ",
                                 ".git.",
                                 ".git...",
                                 ".git::$INDEX_ALLOCATION",
                                 ".git:x",
                                 "git~1",
                                 "GIT~1",
                                 "git~2",
                                 "git~1 .",
                                 ".g\u200cit",
                                 "\u200c.Git\u200d",
                                 ".gi\u200bt",
                                 ".git\xff",
                                 ".gitx",
                                 "a/b",
                                 "/a",
                                 "a\\.git",
                                 "a\\.git\\b",
                                 "a\\b\\git~1",
                                 "\\",
                                 "a\\.gitmodules",
                                 "x\\.gitmodules .",
                                 "con",
                                 "\n"}) {
    oracle.add(Kind::tree, entry("100644", name));
    oracle.add(Kind::tree, entry("40000", name));
    oracle.add(Kind::tree, entry("120000", name));
  }
  for (const std::string name :
       {".gitmodules",     ".GitModules",       ".gitmodules ",   ".gitmodules.. :x", "gitmod~1",   "GITMOD~4",
        "gitmod~5",        "gi7eba~1",          "gi7eb~01",       "gi7eb~10",         "g~100000",   "~1000000",
        ".gitmodules\xff", ".git\u200fmodules", ".gitattributes", "gitatt~1",         "gi7d29~9",   "gi7d2~12",
        ".gitignore",      "gitign~2",          "gi250a~1",       ".mailmap",         "mailma~3",   "maba30~1",
        "MABA~999",        ".gitmodulesx",      "gitmod~1x",      "gitmod~1:x",       "gi7eba~1 . "}) {
    oracle.add(Kind::tree, entry("120000", name));
  }
  for (const std::string mode : {"100644", "0100644", "100664", "100600", "100755", "100777", "040000", "40000",
                                 "40755", "120000", "120777", "160000", "160755", "0", "644", "000"}) {
    oracle.add(Kind::tree, entry(mode, "a"));
    oracle.add(Kind::tree, entry("100644", "A") + entry(mode, "a"));
  }
  oracle.add(Kind::tree, entry("100644", "a", std::string(Oid::raw_size, '\0')));
  oracle.add(Kind::tree, entry("100644", ""));
  oracle.add(Kind::tree, entry("100644", "A") + entry("100644", ""));
  oracle.add(Kind::tree, entry("100644", "A") + entry("10064x", "b"));
  oracle.add(Kind::tree, entry("100644", "A") + "100644 b");
  oracle.add(Kind::tree, "not a tree, but long enough to hold one entry with an id");
  oracle.add(Kind::tree, "");
  oracle.compare();
}

TEST(Fsck, JudgesTheOrderOfTreesAsGitDoes) {
  Oracle oracle;
  std::mt19937 random(11);
  const std::vector<std::string> names = {"a",  "a.", "a.b", "a-",    "a-b",   "a0",
                                          "ab", "b",  "b.c", "a.b.c", "a\x01", "a.b\xff"};
  for (int i = 0; i < 600; ++i) {
    std::vector<std::pair<std::string, bool>> entries;
    for (unsigned left = 1 + random() % 6; left > 0; --left) {
      entries.emplace_back(names[random() % names.size()], random() % 2 == 0);
    }
    if (i % 4 != 0) {  // as Git sorts them: a directory as if it ended in '/'
      std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return a.first + (a.second ? "/" : "") < b.first + (b.second ? "/" : "");
      });
    }
    std::string bytes;
    for (const auto& [name, is_tree] : entries) bytes += entry(is_tree ? "40000" : "100644", name);
    oracle.add(Kind::tree, bytes);
  }
  oracle.compare();
}

TEST(Fsck, SaysOfPeopleAndDatesWhatGitSays) {
  Oracle oracle;
  for (const std::string line : {"A <a@x> 1 +0000",
                                 "<a@x> 1 +0000",
                                 " <a@x> 1 +0000",
                                 "A<a@x> 1 +0000",
                                 "A> <a@x> 1 +0000",
                                 "A a@x 1 +0000",
                                 "A <a@x 1 +0000",
                                 "A <a<@x> 1 +0000",
                                 "A <a@x>1 +0000",
                                 "A <a@x> 01 +0000",
                                 "A <a@x> 0 +0000",
                                 "A <a@x> 00 +0000",
                                 "A <a@x> x +0000",
                                 "A <a@x> 1x +0000",
                                 "A <a@x> 1",
                                 "A <a@x> ",
                                 "A <a@x>",
                                 "A <",
                                 "A ",
                                 "",
                                 "A <a@x> 9223372036854775807 +0000",
                                 "A <a@x> 9223372036854775808 +0000",
                                 "A <a@x> 18446744073709551616 +0000",
                                 "A <a@x> 99999999999999999999999 +0000",
                                 "A <a@x> 1 0000",
                                 "A <a@x> 1 +000",
                                 "A <a@x> 1 +00000",
                                 "A <a@x> 1 +0000 ",
                                 "A <a@x> 1 -9999",
                                 "A <a@x> 1  +0000",
                                 "A <a@x> 1 +00x0",
                                 "A <> 1 +0000",
                                 "A <a@x> <b> 1 +0000"}) {
    oracle.add(Kind::commit, commit(line + "\n"));
    oracle.add(Kind::commit, commit(person, line + "\n"));
    oracle.add(Kind::tag, tag("tag v1\ntagger " + line + "\n\nm\n"));
  }
  oracle.compare();
}

TEST(Fsck, SaysOfCommitsAndTagsWhatGitSays) {
  Oracle oracle;
  const std::string tree = "tree " + some_hex + "\n";
  oracle.add(Kind::commit, commit(person));
  oracle.add(Kind::commit, tree + "author " + person + "author " + person + "committer " + person + "\nm");
  oracle.add(Kind::commit, tree + "committer " + person + "\nm");
  oracle.add(Kind::commit, tree + "author " + person + "\nm");
  oracle.add(Kind::commit, tree + "parent " + commit_hex + "\nauthor " + person + "committer " + person);
  oracle.add(Kind::commit, commit(person, person, "\nm\0x\n"s));
  oracle.add(Kind::commit, commit("A\0 <a@x> 1 +0000\n"s));
  oracle.add(Kind::commit, commit(person, person, "gpgsig x"));
  oracle.add(Kind::commit, commit(person, person, "gpgsig x\n y\n"));
  oracle.add(Kind::commit, commit(person, person, ""));
  oracle.add(Kind::tag, tag("tag v1\ntagger " + person + "\nm\n"));
  oracle.add(Kind::tag, tag("tag v1\n\nm\n"));
  oracle.add(Kind::tag, tag("tag v1\n"));
  oracle.add(Kind::tag, tag("tag v 1\ntagger " + person));
  oracle.add(Kind::tag, tag("tag v1..2\ntagger " + person + "\n"));
  oracle.add(Kind::tag, tag("tag v1\ntagger " + person + "extra x\n\nm\n"));
  oracle.add(Kind::tag, tag("tag v1\ntagger " + person + "extra x"));
  oracle.compare();
}

TEST(Fsck, SaysOfGitmodulesAndGitattributesWhatGitSays) {
  Oracle oracle;
  std::vector<std::string> modules;
  for (const std::string name :
       {"ok", "", "..", "a/../b", "../a", "a/..", "a\\\\..", "a..b", "...", "a/...", "/", "a\\\"b"}) {
    modules.push_back("[submodule \"" + name + "\"]\n\tpath = x\n");
  }
  for (const std::string url : {"https://host/x",
                                "-x",
                                "./-x",
                                "../x",
                                "./../x",
                                "../../:x",
                                ".././/x",
                                "..//x",
                                "./:x",
                                "../%0ax",
                                "../%0Ax",
                                "../%0",
                                "git://h/%0a",
                                "git://h/x",
                                "https://h/%0a",
                                "https://h%0a/x",
                                "https:///x",
                                "https://user@/x",
                                "https://u:p@h/x",
                                "https://@h",
                                "http://?x",
                                "https::h/x",
                                "https:::///x",
                                "http::https://h",
                                "ftp://h",
                                "ftps:///",
                                "file:///x%0a",
                                "ssh://h/%0a",
                                "host:path",
                                "ext::sh",
                                "/a b",
                                "http:://h",
                                "https://u%0a@h/x",
                                "https://h?%0a",
                                "https://h:80/"}) {
    modules.push_back("[submodule \"m\"]\n\turl = " + url + "\n");
  }
  for (const std::string line : {"path = -x", "path = x-", "path", "update = !sh", "update = rebase", "update", "url",
                                 "update = \"!x\"", "PATH = -x", "branch = -x", "url = \"a\\n\"", "update = !"}) {
    modules.push_back("[submodule \"m\"]\n\t" + line + "\n");
  }
  modules.push_back("[submodule]\n\turl = -x\n");
  modules.push_back("[submodule.A.B]\n\turl = -x\n");
  modules.push_back("[Submodule \"a\"]\n\turl = -x\n");
  modules.push_back("[other \"..\"]\n\turl = -x\n");
  modules.push_back("[submodule \"..\"]\n\turl = x\n[broken\n");
  modules.push_back("no config at all");
  modules.push_back("[submodule \"..\"]\n");
  for (const std::string& each : modules) {
    oracle.add(Kind::blob, each);
    oracle.add(Kind::tree, entry("100644", ".gitmodules", id_of(Kind::blob, each)));
  }
  for (const std::size_t size : {2046UL, 2047UL, 2048UL, 2049UL}) {
    for (const std::string end : {"", "\n", "\nshort\n"}) {
      const std::string attributes = "short\n" + std::string(size, 'x') + end;
      oracle.add(Kind::blob, attributes);
      oracle.add(Kind::tree, entry("100644", ".gitattributes", id_of(Kind::blob, attributes)));
    }
  }
  const std::string tree = entry("100644", "x");
  oracle.add(Kind::tree, tree);
  oracle.add(Kind::tree, entry("40000", ".gitmodules", id_of(Kind::tree, tree)));
  oracle.add(Kind::tree, entry("40000", ".gitattributes", id_of(Kind::tree, tree)));
  oracle.compare();
}

TEST(Fsck, JudgesStrictlyAsIndexPackDoes) {
  GitFixture repository;
  const std::string blob = id_of(Kind::blob, "x\n");
  repository.run("echo x | git hash-object -w --stdin");
  for (const auto& [configured, tree] : std::vector<std::pair<std::string, std::string>>{
           {"", entry("100644", "a", blob)},
           {"", entry("0100644", "a", blob)},
           {"zeropaddedfilemode=warn", entry("0100644", "a", blob)},
           {"zeroPaddedFilemode=ignore", entry("0100644", "a", blob)},
           {"", entry("100664", "a", blob)},
           {"badFilemode=error", entry("100664", "a", blob)},
           {"", entry("100644", "b", blob) + entry("100644", "a", blob)},
           {"", entry("100644", ".git", blob)},
       }) {
    repository.write("tree", tree);
    const std::string hex = repository.git_line("hash-object -w --literally -t tree tree");
    const std::string strict = configured.empty() ? "--strict" : "--strict=" + configured;
    const std::string said = repository.run("printf '%s\\n' " + hex + " $(echo x | git hash-object --stdin) |" +
                                            " git pack-objects -q --stdout > p.pack; rm -f p.idx; git index-pack " +
                                            strict + " p.pack 2>&1 || true");
    FsckRules rules(true);
    if (const std::size_t equals = configured.find('='); equals != std::string::npos) {
      EXPECT_TRUE(rules.configure(configured.substr(0, equals), configured.substr(equals + 1)));
    }
    std::string expected;
    bool failed = false;
    const Oid id = Oid::from_hex(hex).value();
    for (const FsckFinding& finding : rules.check(id, Kind::tree, base::as_bytes(tree))) {
      expected += (finding.is_error() ? "error: " : "warning: ") + finding.message(id) + "\n";
      failed |= finding.is_error();
    }
    if (failed) expected += "fatal: " + std::string(fsck_packed_failure) + "\n";
    EXPECT_EQ(failed ? said : said.substr(0, expected.size()), expected) << configured;
    EXPECT_EQ(said.find("fatal:") != std::string::npos, failed) << said;
  }
}

TEST(Fsck, NamesWhatGitCannotEvenParse) {
  const FsckRules rules;
  const auto of = [&](Kind kind, const std::string& bytes) {
    return verdict_of(rules.check(Oid{}, kind, base::as_bytes(bytes)));
  };
  EXPECT_EQ(of(Kind::commit, "\n"), Verdict{"error missingTree"});
  EXPECT_EQ(of(Kind::commit, "x"), Verdict{"error unterminatedHeader"});
  EXPECT_EQ(of(Kind::commit, "tree 123\n"), Verdict{"error badTreeSha1"});
  EXPECT_EQ(of(Kind::commit, "tree " + some_hex + "\nparent 123\n"), Verdict{"error badParentSha1"});
  EXPECT_EQ(of(Kind::commit, "tree " + some_hex + "\nparent " + some_hex + "0\n"), Verdict{"error badParentSha1"});
  EXPECT_EQ(of(Kind::tag, "x\n"), Verdict{"error missingObject"});
  EXPECT_EQ(of(Kind::tag, "object 123\n"), Verdict{"error badObjectSha1"});
  EXPECT_EQ(of(Kind::tag, "object " + some_hex + "\nx\n"), Verdict{"error missingTypeEntry"});
  EXPECT_EQ(of(Kind::tag, "object " + some_hex + "\ntype x\n"), Verdict{"error badType"});
  EXPECT_EQ(of(Kind::tag, "object " + some_hex + "\ntype blob\nx\n"), Verdict{"error missingTagEntry"});
  EXPECT_EQ(of(Kind::tag, "object " + some_hex + "\ntype blob\n\ntag x"), Verdict{"error missingTagEntry"});
}

TEST(Fsck, EveryPrefixOfAnObjectIsJudged) {
  const FsckRules rules(true);
  const std::string whole_commit = commit(person, person, "\nm\n");
  const std::string whole_tag = tag("tag v1\ntagger " + person + "\nm\n");
  const std::string whole_tree = entry("100644", "a") + entry("40000", "b");
  for (std::size_t size = 0; size < 300; ++size) {
    rules.check(Oid{}, Kind::commit, base::as_bytes(whole_commit).first(std::min(size, whole_commit.size())));
    rules.check(Oid{}, Kind::tag, base::as_bytes(whole_tag).first(std::min(size, whole_tag.size())));
    rules.check(Oid{}, Kind::tree, base::as_bytes(whole_tree).first(std::min(size, whole_tree.size())));
  }
}

std::string config_error(const std::function<void()>& work) {
  return test::error_message(work, ErrorCode::config);
}

TEST(FsckRules, AreConfiguredAsGitsAre) {
  FsckRules rules;
  EXPECT_FALSE(rules.configure("nosuch", "warn"));
  EXPECT_TRUE(rules.configure("missingemail", "warn"));
  EXPECT_EQ(rules.severity(FsckId::missing_email), FsckSeverity::warn);
  EXPECT_TRUE(rules.configure("nulInHeader", "error"));
  EXPECT_EQ(config_error([&] { rules.configure("nulInHeader", "warn"); }), "Cannot demote nulInHeader to warn");
  EXPECT_EQ(config_error([&] { rules.configure("unterminatedHeader", "ignore"); }),
            "Cannot demote unterminatedHeader to ignore");
  EXPECT_NE(config_error([&] { rules.configure("badDate", "loud"); }), "accepted");
}

TEST(FsckRules, StrictnessTurnsWarningsIntoErrorsUnlessConfigured) {
  FsckRules rules(true);
  EXPECT_EQ(rules.severity(FsckId::has_dot), FsckSeverity::error);
  EXPECT_EQ(rules.severity(FsckId::bad_tag_name), FsckSeverity::info);
  rules.configure("hasDot", "warn");
  EXPECT_EQ(rules.severity(FsckId::has_dot), FsckSeverity::warn);
}

TEST(FsckRules, SayNothingAboutObjectsOnTheSkipList) {
  FsckRules rules(true);
  const std::string bad = entry("0100644", ".git");
  const Oid id = Oid::from_raw(some_id.data());
  EXPECT_FALSE(rules.check(id, Kind::tree, base::as_bytes(bad)).empty());
  rules.add_skip_list("# known\n\n" + some_hex + "  # an old one\n", "list");
  EXPECT_TRUE(rules.skips(id));
  EXPECT_TRUE(rules.check(id, Kind::tree, base::as_bytes(bad)).empty());
  EXPECT_EQ(config_error([&] { rules.add_skip_list("xyz\n", "list"); }),
            "Invalid SHA-1: xyz (in the skip list 'list')");
}

TEST(FsckRules, JudgeNamedBlobsThatAreNotThere) {
  const FsckRules rules;
  const FsckNamed modules{Oid{}, FsckNamed::What::gitmodules};
  const FsckNamed attributes{Oid{}, FsckNamed::What::gitattributes};
  const object::Object blob{Kind::blob, {}};
  EXPECT_EQ(verdict_of(rules.check_named(modules, nullptr, false)), Verdict{"error gitmodulesMissing"});
  EXPECT_EQ(verdict_of(rules.check_named(attributes, nullptr, false)), Verdict{"error gitattributesMissing"});
  EXPECT_EQ(verdict_of(rules.check_named(modules, &blob, true)), Verdict{"error gitmodulesLarge"});
  EXPECT_EQ(verdict_of(rules.check_named(attributes, &blob, true)), Verdict{"error gitattributesLarge"});
}

}  // namespace
}  // namespace pfetch::repo
