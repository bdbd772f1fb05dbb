#include "transport/tcp_connection.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/error_message.h"
#include "transport/resolve.h"

namespace pfetch::transport {
namespace {

using test::error_message;
using std::string_literals::operator""s;

ConnectOptions options_with(const std::map<std::string, std::string>& environment, int version = 2) {
  ConnectOptions options;
  options.protocol_version = version;
  options.environment = [environment](const std::string& name) -> std::optional<std::string> {
    const auto at = environment.find(name);
    return at == environment.end() ? std::nullopt : std::optional(at->second);
  };
  return options;
}

TEST(DaemonRequest, NamesPathHostAndVersionAsGitDoes) {
  EXPECT_EQ(daemon_request(parse_url("git://h:1234/a b"), options_with({})),
            "0030git-upload-pack /a b\0host=h:1234\0\0version=2\0"s);
  EXPECT_EQ(daemon_request(parse_url("git://[::1]/~u/x"), options_with({}, 0)),
            "0024git-upload-pack ~u/x\0host=[::1]\0"s);
  EXPECT_EQ(daemon_request(parse_url("git://h/x"), options_with({{"GIT_OVERRIDE_VIRTUAL_HOST", "other"}}, 1)),
            "002dgit-upload-pack /x\0host=other\0\0version=1\0"s);
}

TEST(DaemonRequest, RefusesWhatWouldBreakItOrTellASecret) {
  EXPECT_EQ(error_message([] { daemon_request(parse_url("git://h/a%0ab"), options_with({})); }),
            "newline is forbidden in git:// hosts and repo paths");
  EXPECT_EQ(error_message([] { daemon_request(parse_url("git://me:secret@h/x"), options_with({})); }),
            "git:// has no users: take the user name out of 'git://h/x'");
}

TEST(HostPort, TakesBracketsOffAndKnowsTheDaemonsPort) {
  EXPECT_EQ(split_host_port("h").host, "h");
  EXPECT_EQ(split_host_port("h").port, "9418");
  EXPECT_EQ(split_host_port("h:").port, "9418");
  EXPECT_EQ(split_host_port("h:1").port, "1");
  EXPECT_EQ(split_host_port("[::1]").host, "::1");
  EXPECT_EQ(split_host_port("[::1]:77").port, "77");
}

TEST(ProxyCommand, IsTheFirstRuleThatNamesTheDomain) {
  ConnectOptions options = options_with({});
  options.git_proxies = {"one for kernel.org", "none for example.com", "two"};
  EXPECT_EQ(proxy_command("git.kernel.org", options), "one");
  EXPECT_EQ(proxy_command("kernel.org", options), "one");
  EXPECT_EQ(proxy_command("notkernel.org", options), "two");
  EXPECT_EQ(proxy_command("example.com", options), "");
  options.environment = options_with({{"GIT_PROXY_COMMAND", "three"}}).environment;
  EXPECT_EQ(proxy_command("example.com", options), "three");
}

TEST(Resolve, FindsAnAddressAndWaitsForNobodyWhenCancelled) {
  base::Cancellation cancel;
  EXPECT_TRUE(resolve("127.0.0.1", "80", AddressFamily::any, cancel).addresses);
  const Resolved wrong = resolve("127.0.0.1", "80", AddressFamily::ipv6, cancel);
  EXPECT_FALSE(wrong.addresses);
  EXPECT_FALSE(wrong.error_text.empty());
  cancel.request();
  EXPECT_EQ(error_message([&] { resolve("127.0.0.1", "80", AddressFamily::any, cancel); }), "interrupted");
}

TEST(TcpConnection, SaysOfEachAddressWhyItCouldNotBeReached) {
  base::Cancellation cancel;
  // Nobody listens on port 1 of this machine.
  EXPECT_EQ(error_message([&] { connect_tcp(parse_url("git://127.0.0.1:1/x"), options_with({}), cancel); }),
            "unable to connect to 127.0.0.1:\n127.0.0.1[0: 127.0.0.1]: errno=Connection refused\n");
}

}  // namespace
}  // namespace pfetch::transport
