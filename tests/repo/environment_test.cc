#include "repo/environment.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

using Map = std::map<std::string, std::string>;

std::string message_of(const Map& variables) {
  return test::error_message([&] { Environment::from(variables); }, ErrorCode::config);
}

std::string listed(const Environment& environment) {
  std::string text;
  for (const auto& [key, value] : environment.overrides) text += key + (value ? "=" + *value : std::string()) + "\n";
  return text;
}

}  // namespace

TEST(Environment, KeepsUnsetApartFromEmpty) {
  const auto environment = Environment::from(Map{{"GIT_SHALLOW_FILE", ""}, {"GIT_DIR", "x.git"}});
  EXPECT_EQ(environment.shallow_file, "");
  EXPECT_EQ(environment.git_dir, "x.git");
  EXPECT_EQ(environment.work_tree, std::nullopt);
}

TEST(Environment, ReadsCountedSettingsBeforeQuotedOnes) {
  const auto environment =
      Environment::from(Map{{"GIT_CONFIG_COUNT", "2"},
                            {"GIT_CONFIG_KEY_0", "Core.Bare"},
                            {"GIT_CONFIG_VALUE_0", "true"},
                            {"GIT_CONFIG_KEY_1", "url.Git://X.insteadOf"},
                            {"GIT_CONFIG_VALUE_1", ""},
                            {"GIT_CONFIG_PARAMETERS", "'a.b=1=2' 'c.e=f.d'='it'\\''s' 'x.y'= 'p.q'"}});
  EXPECT_EQ(listed(environment), "core.bare=true\nurl.Git://X.insteadof=\na.b=1=2\nc.e=f.d=it's\nx.y\np.q\n");
}

TEST(Environment, RefusesBadSettingsInGitsWords) {
  EXPECT_EQ(message_of({{"GIT_CONFIG_COUNT", "x"}}), "bogus count in GIT_CONFIG_COUNT");
  EXPECT_EQ(message_of({{"GIT_CONFIG_COUNT", "99999999999"}}), "too many entries in GIT_CONFIG_COUNT");
  EXPECT_EQ(message_of({{"GIT_CONFIG_COUNT", "1"}}), "missing config key GIT_CONFIG_KEY_0");
  EXPECT_EQ(message_of({{"GIT_CONFIG_COUNT", "1"}, {"GIT_CONFIG_KEY_0", "a.b"}}),
            "missing config value GIT_CONFIG_VALUE_0");
  EXPECT_EQ(message_of({{"GIT_CONFIG_PARAMETERS", "'a.b"}}), "bogus format in GIT_CONFIG_PARAMETERS");
  EXPECT_EQ(message_of({{"GIT_CONFIG_PARAMETERS", "'a.b'x"}}), "bogus format in GIT_CONFIG_PARAMETERS");
  EXPECT_EQ(message_of({{"GIT_CONFIG_PARAMETERS", "'=b'"}}), "bogus config parameter: =b");
  EXPECT_EQ(message_of({{"GIT_CONFIG_PARAMETERS", "'foo'='x'"}}), "key does not contain a section: foo");
  EXPECT_EQ(message_of({{"GIT_CONFIG_NOSYSTEM", "maybe"}}),
            "bad boolean config value 'maybe' for 'GIT_CONFIG_NOSYSTEM'");
}

TEST(Environment, HandsItsSettingsToChildrenAsGitReadsThem) {
  auto environment = Environment::from(Map{});
  environment.add_override("foo.It's!.bar=a 'b' \"c\"");
  environment.add_override("foo.flag");
  environment.add_override("foo.empty=");
  test::Scratch scratch;
  const std::string listing = scratch.output(
      "GIT_CONFIG_PARAMETERS=" + base::shell_quote(environment.quoted_overrides()) + " git config --list");
  EXPECT_EQ(listing, listed(environment));
  EXPECT_EQ(listed(Environment::from(Map{{"GIT_CONFIG_PARAMETERS", environment.quoted_overrides()}})),
            listed(environment));
}

TEST(Environment, ExpandsNamespaces) {
  EXPECT_EQ(Environment::from(Map{{"GIT_NAMESPACE", "a//b/"}}).namespace_prefix,
            "refs/namespaces/a/refs/namespaces/b/");
  EXPECT_EQ(Environment::from(Map{}).namespace_prefix, "");
  EXPECT_EQ(message_of({{"GIT_NAMESPACE", "a..b"}}), "bad git namespace path \"a..b\"");
}

TEST(Environment, NamesTheVariablesOfOneRepositoryAsGitDoes) {
  test::Scratch scratch;
  std::string names;
  for (const std::string& name : Environment::repository_variables()) names += name + "\n";
  EXPECT_EQ(names, scratch.output("git rev-parse --local-env-vars | LC_ALL=C sort"));
}

}  // namespace pfetch::repo
