#include "object/refspec.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "object/ref_name.h"
#include "tests/support/scratch.h"

namespace pfetch::object {
namespace {

constexpr auto fetch = Refspec::Direction::fetch;
constexpr auto push = Refspec::Direction::push;
const std::string hex = "0123456789abcdef0123456789abcdef01234567";

Oid id(int n) {
  Oid value;
  value.raw[19] = static_cast<std::uint8_t>(n);
  return value;
}

std::vector<Refspec> specs(std::vector<std::string> texts) {
  return Refspec::parse_all(texts, fetch);
}

std::string mapped(const FetchMap& map) {
  std::string text;
  for (const FetchMapping& one : map.mappings) {
    text += (one.force ? "+" : "") + one.remote_name + ">" + one.local_name + " ";
  }
  return text;
}

const std::vector<RemoteRef> remote = {
    {"HEAD", id(1)},         {"refs/heads/main", id(1)}, {"refs/heads/side", id(2)}, {"refs/heads/v1", id(3)},
    {"refs/tags/v1", id(4)}, {"refs/tags/v1^{}", id(1)}, {"refs/pull/7/head", id(5)}};

bool parses(const std::string& text, Refspec::Direction direction) {
  try {
    EXPECT_EQ(Refspec::parse(text, direction).negative, !text.empty() && text[0] == '^');
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return false;
  }
}

// git refuses a bad refspec before it looks at the remote, with "invalid refspec".
TEST(Refspec, AgreesWithGitOnWhatIsOne) {
  const std::vector<std::string> texts = {"main",
                                          "+main",
                                          "main:x",
                                          "",
                                          ":",
                                          "+:",
                                          "^",
                                          "^main",
                                          "^main:x",
                                          "^" + hex,
                                          hex,
                                          hex + ":x",
                                          "refs/heads/*",
                                          "refs/heads/*:refs/x/*",
                                          "refs/heads/*:refs/x/y",
                                          "refs/heads/x:refs/x/*",
                                          "^refs/heads/*",
                                          "a/*/b:c/*/d",
                                          "a/*/*:b/*/*",
                                          "main:",
                                          ":main",
                                          "a b",
                                          "a:b c",
                                          "a..b",
                                          "a.lock:b",
                                          "@",
                                          "@:x",
                                          "HEAD",
                                          "+^main",
                                          "^+main",
                                          "a:b:c",
                                          "main~1:x",
                                          "main~1",
                                          "*",
                                          "*:*",
                                          "^*",
                                          "^a b",
                                          hex + "0"};
  const test::Scratch scratch;
  scratch.out_of("git init -q r");
  for (const std::string& text : texts) {
    const auto refused = [&](const std::string& command) {
      return scratch.run("cd r; git " + command + " ./nosuch " + base::shell_quote(text)).out.find("invalid refspec") !=
             std::string::npos;
    };
    EXPECT_EQ(parses(text, fetch), !refused("fetch")) << "fetch '" << text << "'";
    if (text.empty()) continue;  // git push complains of it in other words
    EXPECT_EQ(parses(text, push), !refused("push")) << "push '" << text << "'";
  }
}

TEST(Refspec, KeepsWhatWasWritten) {
  for (const std::string text : {"+refs/heads/*:refs/remotes/origin/*", "^refs/heads/x", "main", "main:", "a:b"}) {
    EXPECT_EQ(Refspec::parse(text, fetch).text(), text);
  }
  EXPECT_TRUE(Refspec::parse(hex, fetch).exact_id);
  EXPECT_FALSE(Refspec::parse(hex, push).exact_id);
  EXPECT_EQ(Refspec::parse("@:x", fetch).src, "HEAD");
  EXPECT_TRUE(Refspec::parse("+:", push).matching);
  EXPECT_EQ(Refspec::for_tag("v1").text(), "refs/tags/v1:refs/tags/v1");
}

TEST(Refspec, MapsBothWays) {
  const Refspec spec = Refspec::parse("+refs/heads/*/x:refs/remotes/o/*/y", fetch);
  EXPECT_EQ(spec.to_dst("refs/heads/a/b/x"), "refs/remotes/o/a/b/y");
  EXPECT_EQ(spec.to_src("refs/remotes/o/a/y"), "refs/heads/a/x");
  EXPECT_EQ(spec.to_dst("refs/heads/a"), std::nullopt);
  EXPECT_EQ(match_ref_glob("a*a", "a"), std::nullopt);  // the two sides must not overlap
}

TEST(MapFetch, TakesBranchesByPattern) {
  const auto all = specs({"+refs/heads/*:refs/remotes/origin/*"});
  EXPECT_EQ(mapped(map_fetch(all, remote)),
            "+refs/heads/main>refs/remotes/origin/main +refs/heads/side>refs/remotes/origin/side "
            "+refs/heads/v1>refs/remotes/origin/v1 ");
}

TEST(MapFetch, LeavesOutWhatIsNegated) {
  const auto some = specs({"+refs/heads/*:refs/remotes/origin/*", "^refs/heads/s*", "^refs/heads/v1"});
  EXPECT_EQ(mapped(map_fetch(some, remote)), "+refs/heads/main>refs/remotes/origin/main ");
}

TEST(MapFetch, SkipsPeeledEntries) {
  EXPECT_EQ(mapped(map_fetch(specs({"refs/tags/*:refs/tags/*"}), remote)), "refs/tags/v1>refs/tags/v1 ");
}

TEST(MapFetch, FindsShortNamesTagsBeforeBranches) {
  EXPECT_EQ(mapped(map_fetch(specs({"v1", "main:x", "side:tags/s", "HEAD", "pull/7/head:heads/p"}), remote)),
            "refs/tags/v1> refs/heads/main>refs/heads/x refs/heads/side>refs/tags/s HEAD> "
            "refs/pull/7/head>refs/heads/p ");
}

TEST(MapFetch, TakesIdsAsTheyAre) {
  const FetchMap map = map_fetch(specs({hex + ":refs/heads/x"}), remote);
  ASSERT_EQ(map.mappings.size(), 1u);
  EXPECT_EQ(map.mappings[0].id.hex(), hex);
  EXPECT_EQ(map.mappings[0].remote_name, "");
}

TEST(MapFetch, NamesWhatIsMissing) {
  const FetchMap map = map_fetch(specs({"nosuch", "main"}), remote);
  EXPECT_EQ(map.missing, std::vector<std::string>{"nosuch"});
  EXPECT_EQ(map.mappings.size(), 1u);
}

TEST(MapFetch, LeavesIllNamedOut) {
  const std::vector<RemoteRef> odd = {
      {"refs/heads/a.lock", id(1)}, {"refs/heads/../../x", id(1)}, {"refs/heads/b", id(1)}};
  const FetchMap map = map_fetch(specs({"refs/heads/*:refs/remotes/o/*"}), odd);
  EXPECT_EQ(mapped(map), "refs/heads/b>refs/remotes/o/b ");
  EXPECT_EQ(map.ill_named.size(), 2u);
}

TEST(MapFetch, RefusesTwoRefsUnderOneName) {
  EXPECT_EQ(map_fetch(specs({"main:x", "refs/heads/main:x"}), remote).mappings.size(), 1u);
  EXPECT_THROW(map_fetch(specs({"main:x", "side:x"}), remote), Error);
}

TEST(RefPrefixes, CoverEveryLookup) {
  EXPECT_EQ(ref_prefixes(specs({"+refs/heads/*:refs/x/*", "refs/tags/v1", hex, "^refs/heads/s"})),
            (std::vector<std::string>{"refs/heads/", "refs/tags/v1"}));
  EXPECT_EQ(ref_prefixes(specs({"main"})).size(), ref_lookup_rules);
}

}  // namespace
}  // namespace pfetch::object
