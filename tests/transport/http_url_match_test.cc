#include "transport/http_url_match.h"

#include <gtest/gtest.h>

#include "tests/support/git_oracle.h"

namespace pfetch::transport {
namespace {

// Every pattern, in an order in which a better one does not always come last.
const char* const patterns[] = {
    "https://example.com",
    "https://*.example.com",
    "https://*.com",
    "https://sub.example.com/deep/",
    "https://sub.example.com",
    "https://example.com/a",
    "https://me@example.com",
    "https://example.com:8443",
    "https://example.com/a/b",
    "https://EXAMPLE.com/%7Euser/../x",
    "http://example.com",
    "https://example.com/a%20b",
    "no url",
    "https://*",
};

const char* const urls[] = {
    "https://example.com",
    "https://example.com/",
    "https://example.com:443/a",
    "https://example.com:0443/a/b/c.git",
    "https://example.com/ab",
    "https://example.com/a/./b/../b",
    "https://EXAMPLE.COM/x",
    "https://me@example.com/x",
    "https://me:pw@example.com/a/b",
    "https://you@example.com/x",
    "https://example.com:8443/x",
    "https://sub.example.com/deep/er",
    "https://sub.example.com/deeper",
    "https://other.example.com/x",
    "https://a.b.example.com/x",
    "https://single/x",
    "https://two.com/x",
    "http://example.com/x",
    "http://example.com:80/x",
    "https://example.com/a%20b/c",
    "https://example.com/a%2fb",
};

TEST(UrlMatch, ChoosesAsGitDoes) {
  const test::GitOracle git;
  std::string text = "[http]\n\tproxy = general\n";
  for (const char* pattern : patterns) text += "[http \"" + std::string(pattern) + "\"]\n\tproxy = " + pattern + "\n";
  git.write_outside("config", text);
  const std::string file = git.home() + "/config";
  const repo::Config config = repo::Config::load_file(file);
  for (const char* url : urls) {
    const std::string expected =
        test::without_final_newline(git.run({"config", "-f", file, "--get-urlmatch", "http.proxy", url}).out);
    EXPECT_EQ(scoped_config(config, "http", url).get("http.proxy", ""), expected) << url;
  }
}

TEST(UrlMatch, KeepsAllOfAListThatAppliesUnlessABetterOneCameBefore) {
  std::vector<repo::ConfigEntry> entries;
  const auto add = [&](const char* key, const char* value) {
    entries.push_back({key, value, repo::ConfigLevel::command, nullptr, 0});
  };
  add("http.extraheader", "A: 1");
  add("http.https://h/.extraheader", "B: 2");
  add("http.https://other/.extraheader", "C: 3");
  add("http.extraheader", "D: 4");
  const repo::Config config(std::move(entries));
  EXPECT_EQ(scoped_config(config, "http", "https://h/x").get_all("http.extraheader"),
            (std::vector<std::string>{"A: 1", "B: 2"}));
}

}  // namespace
}  // namespace pfetch::transport
