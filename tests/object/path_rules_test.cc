#include "object/path_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/git_oracle.h"

namespace pfetch::object {
namespace {

constexpr std::uint32_t regular = 0100644;
constexpr std::uint32_t symlink = 0120000;

using namespace std::string_view_literals;

const std::vector<std::string_view>& names() {
  static const std::vector<std::string_view> all = {
      // plain spellings
      "a",
      ".",
      "..",
      "...",
      "a.",
      ".a",
      "..a",
      ".git",
      ".GIT",
      ".giT",
      ".gitx",
      ".git.x",
      "git",
      "x.git",
      ".gitmodules",
      ".GITmodules",
      ".gitattributes",
      ".gitignore",
      "CON",
      "aux.c",
      "com1",
      "new\nline",
      "\xff\xfe",
      "\t",
      " ",
      // NTFS
      "git~1",
      "GIT~1",
      "git~2",
      "git~10",
      "git~1 ",
      "git~1.",
      "git~1:x",
      "git~1.x",
      ".git ",
      ".git. .",
      ".git . x",
      ".git::$INDEX_ALLOCATION",
      ".git:",
      ".git :x",
      ".git...:x",
      ":.git",
      ".gitmodules ",
      ".gitmodules.",
      ".gitmodules:x",
      ".gitmodules .. ::$DATA",
      ".gitmodules x",
      "gitmod~1",
      "GITMOD~4",
      "gitmod~5",
      "gitmod~0",
      "gitmod~10",
      "gitmod~1 .",
      "gitmod~1:x",
      "gitmod~1x",
      "gi7eba~1",
      "gi7eba~9",
      "gi7eba~0",
      "GI7EBA~1",
      "gi7eb~10",
      "gi7eb~01",
      "gi7e~123",
      "gi~12345",
      "~1234567",
      "~1",
      "gi7eba~1.",
      "gi7eba~1 :x",
      "gi7eba~1x",
      "gi7eb~1x",
      "gi7ebax1",
      "gi7ebb~1",
      "git~1234",
      "gi7eba~",
      "gi7eb\xe1~1",
      // backslash
      "a\\b",
      "a\\.git",
      "a\\.git\\b",
      ".git\\b",
      "a\\git~1",
      "a\\.GIT .",
      "a\\.gitmodules",
      "a\\gitmod~1",
      "\\",
      "\\a",
      "a\\",
      "..\\a",
      "a\\..\\b",
      ".\\a",
      ".gitmodules\\x",
      // HFS+
      ".g\xe2\x80\x8cit",
      "\xe2\x80\x8d.git",
      ".git\xe2\x80\x8f",
      ".gi\xe2\x80\xaat",
      ".gi\xe2\x81\xaft",
      ".g\xef\xbb\xbfIt",
      ".g\xe2\x80\x8bit",
      ".g\xe2\x80\x90it",
      ".git\xff",
      ".git\xc3\xa9",
      ".gi\xff\x74",
      ".git\xef\xbf\xbf",
      ".git\xed\xa0\x80",
      ".gi\xc5\xa3",
      ".git\xc0\xaf",
      ".git\xf0\x80\x80\x80",
      ".gitmod\xe2\x80\x8cules",
      ".gitmodules\xe2\x80\x8c",
      ".gitmodules\xff",
      ".git\xe2\x80",
      ".git\xf4\x90\x80\x80",
      ".git\xf0\x9f\x98\x80",
      ".git\xef\xb7\x90",
      ".git\xef\xbf\xbe",
      ".git\xf0\x9f\xbf\xbe",
      // several components in one
      "a/b",
      "a//b",
      "/a",
      "a/",
      "/",
      "a/.git",
      ".git/a",
      "a/.GIT/b",
      "a/../b",
      "../a",
      "a/..",
      "a/.",
      "./a",
      "a/git~1/b",
      "a/.git /b",
      "a/.gitmodules",
      ".gitmodules/a",
      "gitmod~1/a",
      ".gitmodules /a",
      "a/b\\.git",
      "a\\.git/b",
      "a/.git\xe2\x80\x8c/b",
      "a/.g\xe2\x80\x8cit",
      ".gitmodules\xe2\x80\x8c/a",
  };
  return all;
}

// What git's index says to all of `paths` together: it takes them only if it takes each.
bool git_takes(const test::GitOracle& git, PathRules rules, std::uint32_t mode, const std::string& blob,
               const std::vector<std::string_view>& paths) {
  std::vector<std::string> arguments = {
      "-c",           rules.protect_ntfs ? "core.protectNTFS=true" : "core.protectNTFS=false",
      "-c",           rules.protect_hfs ? "core.protectHFS=true" : "core.protectHFS=false",
      "update-index", "--add",
      "--replace"};
  for (const std::string_view path : paths) {
    arguments.push_back("--cacheinfo");
    arguments.push_back((mode == symlink ? "120000," : "100644,") + blob + "," + std::string(path));
  }
  return git.run(arguments).ok();
}

TEST(PathRules, RefuseWhatGitsIndexRefuses) {
  const test::GitOracle git;
  const std::string blob = git.must({"hash-object", "-w", "--stdin"}, "x");
  int refused = 0;
  for (const PathRules rules : {PathRules{true, false}, PathRules{false, true}, PathRules{false, false}}) {
    for (const std::uint32_t mode : {regular, symlink}) {
      // What we refuse git must refuse name by name; what we let through it must take, and can be asked in one go.
      std::vector<std::string_view> let_through;
      for (const std::string_view name : names()) {
        const auto reason = refuse_path(name, mode, rules);
        if (!reason) {
          let_through.push_back(name);
          continue;
        }
        ++refused;
        EXPECT_FALSE(git_takes(git, rules, mode, blob, {name}))
            << testing::PrintToString(std::string(name)) << " mode " << mode << " ntfs " << rules.protect_ntfs
            << " hfs " << rules.protect_hfs << ": " << *reason;
      }
      if (git_takes(git, rules, mode, blob, let_through)) continue;
      for (const std::string_view name : let_through) {
        EXPECT_TRUE(git_takes(git, rules, mode, blob, {name}))
            << testing::PrintToString(std::string(name)) << " mode " << mode << " ntfs " << rules.protect_ntfs
            << " hfs " << rules.protect_hfs;
      }
    }
  }
  EXPECT_GT(refused, 200);
}

TEST(PathRules, RefuseWhatGitCannotBeAsked) {
  EXPECT_TRUE(refuse_entry("", regular, {}));
  EXPECT_TRUE(refuse_entry("a\0b"sv, regular, {}));
  EXPECT_TRUE(refuse_path(std::string(path_bytes_max + 1, 'a'), regular, {}));
  EXPECT_FALSE(refuse_path(std::string(path_bytes_max, 'a'), regular, {}));
}

TEST(PathRules, NameTheReason) {
  EXPECT_EQ(refuse_entry(".GIT", 040000, {}), "it names the directory .git");
  EXPECT_EQ(refuse_entry("git~1", 040000, {}), "it names the directory .git on NTFS (core.protectNTFS)");
}

// A tree whose one entry is called `name`, which git's own commands would not make.
std::string tree_with(const test::GitOracle& git, std::string_view name, const std::string& blob) {
  std::string tree = "100644 " + std::string(name) + '\0';
  for (std::size_t i = 0; i < blob.size(); i += 2) {
    tree += static_cast<char>(std::stoi(blob.substr(i, 2), nullptr, 16));
  }
  return git.must({"hash-object", "-w", "-t", "tree", "--literally", "--stdin"}, tree);
}

TEST(PathRules, RefuseTheEntriesThatGitDoesNotReadFromATree) {
  const test::GitOracle git;
  const std::string blob = git.must({"hash-object", "-w", "--stdin"}, "x");
  for (const std::string_view name :
       {"", "a/b", "a", ".git", "git~1", "..", "a/../b", "a//b", "CON", "a\\b", "a\\.git"}) {
    const auto answer = git.run({"read-tree", tree_with(git, name, blob)});
    EXPECT_EQ(!refuse_entry(name, regular, {}), answer.ok()) << testing::PrintToString(std::string(name));
  }
}

}  // namespace
}  // namespace pfetch::object
