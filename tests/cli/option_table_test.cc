// Reading words as Git's commands do; messages and exit codes were compared with git-clone 2.39.5.
#include "cli/option_table.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/options.h"

namespace pfetch::cli {
namespace {

using Words = std::vector<std::string>;

// The first line of the complaint; "accepted" if there is none.
std::string complaint(const Words& words) {
  try {
    parse_clone(words);
  } catch (const UsageError& error) {
    return error.text.substr(0, error.text.find('\n'));
  } catch (const Error& error) {
    return "fatal: " + error.message();
  }
  return "accepted";
}

command::CloneRequest request(const Words& words) {
  return parse_clone(words).request;
}

TEST(OptionTable, TakesAnUnambiguousBeginningOfALongName) {
  EXPECT_EQ(request({"--dep", "2", "src"}).depth, 2);
  EXPECT_EQ(request({"--dep=3", "src"}).depth, 3);
  EXPECT_TRUE(request({"--no-ch", "src"}).no_checkout);
  EXPECT_EQ(request({"--j", "4", "src"}).jobs, 4U);  // what git does not have (--json) is no candidate
  EXPECT_EQ(complaint({"--s", "src"}), "error: ambiguous option: s (could be --shallow-since or --shallow-exclude)");
  EXPECT_EQ(complaint({"--jso", "src"}), "error: unknown option `jso'");
  EXPECT_EQ(complaint({"--zzz=1", "src"}), "error: unknown option `zzz=1'");
}

TEST(OptionTable, TakesTheWholeNameForWhatItIsThoughAnotherBeginsWithIt) {
  EXPECT_EQ(request({"--reference", "r", "src"}).references, Words{"r"});
  EXPECT_EQ(request({"--reference-if-able", "r", "src"}).references_if_able, Words{"r"});
}

TEST(OptionTable, TakesEveryOptionBack) {
  const auto back = request({"--depth",     "1",      "--no-depth",     "-b",           "x",
                             "--no-branch", "--bare", "--no-bare",      "-n",           "--checkout",
                             "--reference", "r",      "--no-reference", "--reference",  "s",
                             "-o",          "up",     "--no-origin",    "--no-no-tags", "src"});
  EXPECT_EQ(back.depth, 0);
  EXPECT_FALSE(back.branch.has_value());
  EXPECT_FALSE(back.bare);
  EXPECT_FALSE(back.no_checkout);
  EXPECT_EQ(back.references, Words{"s"});
  EXPECT_EQ(back.origin, "");
  EXPECT_TRUE(back.tags);
  EXPECT_EQ(complaint({"--filter=x", "src"}),
            "fatal: option '--filter' is not supported yet: partial clone is not built");
  EXPECT_EQ(complaint({"--no-filter", "--no-recurse-submodules", "src"}), "accepted");
}

TEST(OptionTable, KeepsTheThirdAnswerOfASwitch) {
  EXPECT_FALSE(request({"src"}).single_branch.has_value());
  EXPECT_EQ(request({"--single-branch", "src"}).single_branch, true);
  EXPECT_EQ(request({"--single-branch", "--no-single-branch", "src"}).single_branch, false);
  EXPECT_EQ(parse_clone({"--no-progress", "src"}).output.progress, false);
}

TEST(OptionTable, TakesTheNextWordAsAValueWhateverItBeginsWith) {
  EXPECT_EQ(request({"-b", "--depth", "src"}).branch, "--depth");
  EXPECT_EQ(request({"--template=", "src"}).template_directory, "");
  EXPECT_EQ(request({"-b", "", "src"}).branch, "");
  EXPECT_EQ(request({"-bx", "-ncuser.name=A", "src"}).branch, "x");
  EXPECT_EQ(request({"-bx", "-ncuser.name=A", "src"}).config, Words{"user.name=A"});
}

TEST(OptionTable, LetsTheLastWordCount) {
  EXPECT_EQ(request({"--depth", "1", "--depth", "2", "src"}).depth, 2);
  EXPECT_TRUE(request({"--no-bare", "--bare", "src"}).bare);
}

TEST(OptionTable, EndsOptionsAtTwoDashesAndTakesThemBehindWords) {
  EXPECT_EQ(request({"--", "-src", "--dir"}).url, "-src");
  EXPECT_EQ(request({"--", "-src", "--dir"}).directory, "--dir");
  EXPECT_TRUE(request({"src", "--bare", "dir"}).bare);
  EXPECT_EQ(request({"-", "dir"}).url, "-");
}

TEST(OptionTable, ComplainsInGitsWords) {
  EXPECT_EQ(complaint({"--depth"}), "error: option `depth' requires a value");
  EXPECT_EQ(complaint({"-b"}), "error: switch `b' requires a value");
  EXPECT_EQ(complaint({"--bare=1", "src"}), "error: option `bare' takes no value");
  EXPECT_EQ(complaint({"--no-depth=1", "src"}), "error: option `no-depth' takes no value");
  EXPECT_EQ(complaint({"-Z", "src"}), "error: unknown switch `Z'");
  EXPECT_EQ(complaint({"--jobs=x", "src"}), "error: option `jobs' expects a numerical value");
  EXPECT_EQ(complaint({"a", "b", "c"}), "fatal: Too many arguments.");
  EXPECT_EQ(complaint({}), "fatal: You must specify a repository to clone.");
  EXPECT_EQ(complaint({"-o", "", "src"}), "fatal: '' is not a valid remote name");
  for (const char* depth : {"0", "-1", "x", "", "1x", "-99999999999999999999"}) {
    EXPECT_EQ(complaint({"--depth", depth, "src"}), std::string("fatal: depth ") + depth + " is not a positive number");
  }
  EXPECT_EQ(request({"--depth", "99999999999999999999", "src"}).depth, INT32_MAX);
}

TEST(OptionTable, ShowsTheOptionsForHelp) {
  EXPECT_EQ(parse_clone({"-h"}).help.exit_code(), 129);
  EXPECT_EQ(parse_clone({"--help"}).help.exit_code(), 0);
  const std::string text = parse_clone({"-h"}).help.text;
  EXPECT_TRUE(text.starts_with("usage: pfetch clone [<options>] [--] <repo> [<dir>]\n\n    -v, --verbose ")) << text;
  const std::string entry = "\n    -b, --branch <branch>\n                          check out this branch";
  EXPECT_NE(text.find(entry), std::string::npos) << text;
}

TEST(IndexPackOptions, TakeNumbersAndVersionsAsGitDoes) {
  EXPECT_EQ(parse_index_pack({"--index-version=2,0x10", "x.pack"}).request.small_offset_max, 16U);
  EXPECT_EQ(parse_index_pack({"--keep", "x.pack"}).request.keep_message, "");
  EXPECT_EQ(parse_index_pack({"--keep=why", "x.pack"}).request.keep_message, "why");
  for (const char* version : {"3", "2,zz", "2,0x80000000", "2,", "", "20"}) {
    EXPECT_THROW(parse_index_pack({std::string("--index-version=") + version, "x.pack"}), Error) << version;
  }
  EXPECT_THROW(parse_index_pack({"--threads=x", "x.pack"}), UsageError);
  EXPECT_THROW(parse_index_pack({"--threads=-1", "x.pack"}), UsageError);
  EXPECT_THROW(parse_index_pack({}), UsageError);
  EXPECT_THROW(parse_index_pack({"a.pack", "b.pack"}), UsageError);
}

}  // namespace
}  // namespace pfetch::cli
