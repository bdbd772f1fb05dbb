#include "transport/http_settings.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/error_message.h"

namespace pfetch::transport {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

HttpSettings settings_for(const Entries& entries, const std::map<std::string, std::string>& environment = {},
                          const std::string& url = "https://h/x") {
  std::vector<repo::ConfigEntry> list;
  for (const auto& [key, value] : entries) list.push_back({key, value, repo::ConfigLevel::command, nullptr, 0});
  return read_http_settings(repo::Config(std::move(list), "/home/me"), url, "origin", [&](const std::string& name) {
    const auto at = environment.find(name);
    return at == environment.end() ? std::nullopt : std::optional(at->second);
  });
}

TEST(HttpSettings, HasGitsDefaults) {
  const HttpSettings settings = settings_for({});
  EXPECT_TRUE(settings.ssl_verify);
  EXPECT_EQ(settings.redirects, HttpSettings::Redirects::initial);
  EXPECT_FALSE(settings.proxy);
  EXPECT_FALSE(settings.empty_auth);
  EXPECT_TRUE(settings.user_agent.starts_with("git/"));
}

TEST(HttpSettings, AnEmptyHeaderClearsTheListBeforeIt) {
  EXPECT_EQ(settings_for({{"http.extraheader", "A: 1"}, {"http.extraheader", ""}, {"http.extraheader", "B: 2"}})
                .extra_headers,
            std::vector<std::string>{"B: 2"});
}

TEST(HttpSettings, TheEnvironmentOverrulesTheConfiguration) {
  const Entries config = {{"http.sslverify", "true"},      {"http.sslcainfo", "~/ca"},  {"http.useragent", "one"},
                          {"http.lowspeedlimit", "1000"},  {"http.lowspeedtime", "30"}, {"http.sslcert", "a"},
                          {"http.proxyauthmethod", "ntlm"}};
  const HttpSettings plain = settings_for(config);
  EXPECT_EQ(plain.ssl_ca_info, "/home/me/ca");
  EXPECT_EQ(plain.low_speed_limit, 1000);
  const HttpSettings settings = settings_for(config, {{"GIT_SSL_NO_VERIFY", ""},
                                                      {"GIT_SSL_CAINFO", "/other"},
                                                      {"GIT_HTTP_USER_AGENT", "two"},
                                                      {"GIT_HTTP_LOW_SPEED_LIMIT", "5"},
                                                      {"GIT_SSL_CERT", "b"},
                                                      {"GIT_HTTP_PROXY_AUTHMETHOD", "basic"}});
  EXPECT_FALSE(settings.ssl_verify);
  EXPECT_EQ(settings.ssl_ca_info, "/other");
  EXPECT_EQ(settings.user_agent, "two");
  EXPECT_EQ(settings.low_speed_limit, 5);
  EXPECT_EQ(settings.low_speed_time, 30);
  EXPECT_EQ(settings.ssl_cert, "b");
  EXPECT_EQ(settings.proxy_auth_method, "basic");
}

TEST(HttpSettings, TheProxyOfTheRemoteComesFirstThenTheConfigurationThenTheEnvironment) {
  const std::map<std::string, std::string> environment = {
      {"https_proxy", "env-s"}, {"http_proxy", "env"}, {"HTTP_PROXY", "never"}, {"all_proxy", "all"}};
  EXPECT_EQ(settings_for({{"http.proxy", "config"}, {"remote.origin.proxy", "own"}}, environment).proxy, "own");
  EXPECT_EQ(settings_for({{"http.proxy", "config"}}, environment).proxy, "config");
  EXPECT_EQ(settings_for({{"http.proxy", ""}}, environment).proxy, "");
  EXPECT_EQ(settings_for({}, environment).proxy, "env-s");
  EXPECT_EQ(settings_for({}, environment, "http://h/x").proxy, "env");
  EXPECT_EQ(settings_for({}, {{"HTTP_PROXY", "never"}, {"all_proxy", "all"}}, "http://h/x").proxy, "all");
}

TEST(HttpSettings, ReadsRedirectsAndRetries) {
  EXPECT_EQ(settings_for({{"http.followredirects", "true"}}).redirects, HttpSettings::Redirects::always);
  EXPECT_EQ(settings_for({{"http.followredirects", "no"}}).redirects, HttpSettings::Redirects::never);
  EXPECT_EQ(settings_for({{"http.followredirects", "initial"}}).redirects, HttpSettings::Redirects::initial);
  EXPECT_EQ(settings_for({{"http.maxretries", "7"}}).max_retries, 7);
  EXPECT_NE(test::error_message([] {
              settings_for({{"http.sslverify", "perhaps"}});
            }).find("http.sslverify"),
            std::string::npos);
}

}  // namespace
}  // namespace pfetch::transport
