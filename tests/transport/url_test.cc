#include "transport/url.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/error_message.h"

namespace pfetch::transport {
namespace {

struct Case {
  const char* text;
  Scheme scheme;
  const char* user_host;
  const char* port;
  const char* path;
};

// The right column is what `git fetch-pack --diag-url` (2.39.5) says of each.
TEST(Url, ReadsTheFormsAsGitDoes) {
  const Case cases[] = {
      {"ssh://host/~r", Scheme::ssh, "host", "", "~r"},
      {"ssh://u@host:22/p", Scheme::ssh, "u@host", "22", "/p"},
      {"host:~r", Scheme::ssh, "host", "", "~r"},
      {"host:/~r", Scheme::ssh, "host", "", "~r"},
      {"host:r/x", Scheme::ssh, "host", "", "r/x"},
      {"u@host:r", Scheme::ssh, "u@host", "", "r"},
      {"host:", Scheme::ssh, "host", "", ""},
      {"host:12345", Scheme::ssh, "host", "", "12345"},
      {"file:x", Scheme::ssh, "file", "", "x"},
      {"[::1]:r", Scheme::ssh, "::1", "", "r"},
      {"[::1:22]:r", Scheme::ssh, "::1:22", "", "r"},
      {"[u@::1]:r", Scheme::ssh, "u@::1", "", "r"},
      {"u@[::1]:r", Scheme::ssh, "u@::1", "", "r"},
      {"[host:22]:r", Scheme::ssh, "host", "22", "r"},
      {"[user@host:99]:r", Scheme::ssh, "user@host", "99", "r"},
      {"user@[host:99]:r", Scheme::ssh, "user@host", "99", "r"},
      {"[::1]:22:r", Scheme::ssh, "::1", "", "22:r"},
      {"ssh://[::1]:22/r", Scheme::ssh, "::1", "22", "/r"},
      {"ssh://[::1]/r", Scheme::ssh, "::1", "", "/r"},
      {"ssh://[u@::1]:22/r", Scheme::ssh, "u@::1", "22", "/r"},
      {"ssh://u@[::1]:/r", Scheme::ssh, "u@::1", "", "/r"},
      {"ssh://user@[::1:22]/x", Scheme::ssh, "user@::1:22", "", "/x"},
      {"ssh://host:/r", Scheme::ssh, "host", "", "/r"},
      {"ssh://host:abc/r", Scheme::ssh, "host:abc", "", "/r"},
      {"ssh://host:99999/r", Scheme::ssh, "host:99999", "", "/r"},
      {"ssh://user@name@host/r", Scheme::ssh, "user@name@host", "", "/r"},
      {"git+ssh://host/r", Scheme::ssh, "host", "", "/r"},
      {"ssh+git://host/r", Scheme::ssh, "host", "", "/r"},
      {"ssh://h%20x/a%25b", Scheme::ssh, "h x", "", "/a%b"},
      {"ssh://a/b?c#d", Scheme::ssh, "a", "", "/b?c#d"},
      {"git://host:9418/~r", Scheme::git, "host:9418", "", "~r"},
      {"file:///a/b%20c", Scheme::file, "", "", "/a/b c"},
      {"file://host/x", Scheme::file, "", "", "/x"},
      {"./a:b", Scheme::path, "", "", "./a:b"},
      {"/a:b", Scheme::path, "", "", "/a:b"},
      {"dir", Scheme::path, "", "", "dir"},
  };
  for (const Case& expected : cases) {
    const Url url = parse_url(expected.text);
    EXPECT_EQ(url.scheme, expected.scheme) << expected.text;
    EXPECT_EQ(url.user_host, expected.user_host) << expected.text;
    EXPECT_EQ(url.port, expected.port) << expected.text;
    EXPECT_EQ(url.path, expected.path) << expected.text;
    EXPECT_EQ(url.text, expected.text);
  }
}

TEST(Url, NamesTheProtocolThatThePolicyKnows) {
  EXPECT_EQ(parse_url("a/b").protocol, "file");
  EXPECT_EQ(parse_url("git+ssh://h/p").protocol, "ssh");
  EXPECT_EQ(parse_url("https://h/p").protocol, "https");
  EXPECT_EQ(parse_url("https://h/p").scheme, Scheme::http);
  EXPECT_EQ(parse_url("ext::sh -c x").protocol, "ext");
  EXPECT_EQ(parse_url("ext::sh -c x").scheme, Scheme::external);
  EXPECT_EQ(parse_url("foo://h/p").protocol, "foo");
  EXPECT_EQ(parse_url("foo://h/p").scheme, Scheme::external);
}

TEST(Url, TakesAnExistingDirectoryForAPathEvenWithAColon) {
  const auto here = [](const std::string& path) { return path == "host:dir"; };
  EXPECT_EQ(parse_url("host:dir", here).scheme, Scheme::path);
  EXPECT_EQ(parse_url("host:dir", here).path, "host:dir");
  EXPECT_EQ(parse_url("host:other", here).scheme, Scheme::ssh);
}

std::string message_of(std::string_view text) {
  return test::error_message([&] { parse_url(text); });
}

TEST(Url, BlocksWhatWouldBeReadAsAnOption) {
  EXPECT_EQ(message_of("ssh://-oProxyCommand=x/r"), "strange hostname '-oProxyCommand=x' blocked");
  EXPECT_EQ(message_of("-x@host:r"), "strange hostname '-x@host' blocked");
  EXPECT_EQ(message_of("ssh://[-x]/r"), "strange hostname '-x' blocked");
  EXPECT_EQ(message_of("ssh://%2dx/r"), "strange hostname '-x' blocked");
  EXPECT_EQ(message_of("host:-r"), "strange pathname '-r' blocked");
  EXPECT_EQ(message_of("-r"), "strange pathname '-r' blocked");
  EXPECT_EQ(message_of("ssh://host/-r"), "accepted");
}

TEST(Url, RefusesWhatIsNotWhole) {
  EXPECT_NE(message_of("ssh://host"), "");
  EXPECT_NE(message_of(""), "");
  EXPECT_NE(message_of(":x"), "");
  EXPECT_NE(message_of("ssh:///x"), "");
  EXPECT_NE(message_of("ssh://h/%00"), "");
  EXPECT_NE(message_of(std::string_view("a\0b", 3)), "");
}

TEST(Url, LosesUserAndPasswordForMessages) {
  EXPECT_EQ(without_user_info("https://user:secret@host/x"), "https://host/x");
  EXPECT_EQ(without_user_info("https://u:a@b@host:8080/x@y"), "https://host:8080/x@y");
  EXPECT_EQ(without_user_info("ssh://host/x@y"), "ssh://host/x@y");
  EXPECT_EQ(without_user_info("https://user:secret@host"), "https://host");
  EXPECT_EQ(without_user_info("git@host:x"), "git@host:x");
}

TEST(InsteadOf, TakesTheLongestMatchAndTheFirstOfEqualOnes) {
  const std::vector<InsteadOf> rules = {
      {"ssh://a/", "gh:"}, {"ssh://b/", "gh:org/"}, {"ssh://c/", "gh:org/"}, {"ssh://d/", "zz:"}};
  EXPECT_EQ(apply_instead_of(rules, "gh:x"), "ssh://a/x");
  EXPECT_EQ(apply_instead_of(rules, "gh:org/x"), "ssh://b/x");
  EXPECT_EQ(apply_instead_of(rules, "other"), "other");
}

bool allowed(const ProtocolPolicy& policy, const std::string& protocol) {
  try {
    require_allowed(policy, protocol);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "transport '" + protocol + "' not allowed");
    return false;
  }
}

TEST(ProtocolPolicy, HasGitsDefaults) {
  ProtocolPolicy policy;
  for (const char* name : {"http", "https", "git", "ssh", "file", "foo"}) EXPECT_TRUE(allowed(policy, name)) << name;
  EXPECT_FALSE(allowed(policy, "ext"));
  policy.from_user = false;
  EXPECT_TRUE(allowed(policy, "ssh"));
  EXPECT_FALSE(allowed(policy, "file"));
  EXPECT_FALSE(allowed(policy, "foo"));
}

TEST(ProtocolPolicy, TheListOverrulesTheNameWhichOverrulesTheDefault) {
  ProtocolPolicy policy;
  policy.allow = "never";
  EXPECT_FALSE(allowed(policy, "ssh"));
  policy.by_name["ssh"] = "user";
  policy.by_name["ext"] = "always";
  EXPECT_TRUE(allowed(policy, "ssh"));
  EXPECT_TRUE(allowed(policy, "ext"));
  policy.from_user = false;
  EXPECT_FALSE(allowed(policy, "ssh"));
  policy.only = "file:ssh";
  EXPECT_TRUE(allowed(policy, "ssh"));
  EXPECT_TRUE(allowed(policy, "file"));
  EXPECT_FALSE(allowed(policy, "ext"));
  policy.only = "";
  EXPECT_FALSE(allowed(policy, "file"));
}

TEST(ProtocolPolicy, NamesASettingItDoesNotUnderstand) {
  ProtocolPolicy policy;
  policy.by_name["file"] = "x";
  try {
    require_allowed(policy, "file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "unknown value for config 'protocol.file.allow': x");
  }
}

}  // namespace
}  // namespace pfetch::transport
