#include "transport/http_url.h"

#include <gtest/gtest.h>

#include "tests/support/error_message.h"

namespace pfetch::transport {
namespace {

using test::error_message;

TEST(HttpUrl, TakesAUrlApartAndKeepsTheSecretOutOfItsText) {
  const HttpUrl url = parse_http_url("HTTPS://al%40ice:p%3Aw@Host:8443/a%20b?c#d");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.user, "al@ice");
  EXPECT_EQ(url.password, "p:w");
  EXPECT_EQ(url.host, "Host");
  EXPECT_EQ(url.port, "8443");
  EXPECT_EQ(url.path, "/a%20b?c#d");
  EXPECT_EQ(url.text(), "https://Host:8443/a%20b?c#d");
}

TEST(HttpUrl, ReadsWhatMayBeMissing) {
  const HttpUrl plain = parse_http_url("http://h");
  EXPECT_FALSE(plain.user);
  EXPECT_EQ(plain.text(), "http://h");
  const HttpUrl user = parse_http_url("http://me@[::1]:80/x");
  EXPECT_EQ(user.user, "me");
  EXPECT_FALSE(user.password);
  EXPECT_EQ(user.authority(), "[::1]:80");
  EXPECT_EQ(parse_http_url("http://h?a@b").user, std::nullopt);  // the query is no host
  EXPECT_EQ(parse_http_url("http://a@b@h/").user, "a@b");        // the last '@' ends the user info
}

TEST(HttpUrl, RefusesWithoutShowingTheSecret) {
  EXPECT_EQ(error_message([] { parse_http_url("http://me:secret@/x"); }),
            "URL using bad/illegal format or missing URL: no host in it");
  EXPECT_EQ(error_message([] { parse_http_url("http://me:secret@h:99x/"); }),
            "URL using bad/illegal format: the port of host 'h' is no number");
  EXPECT_EQ(error_message([] { parse_http_url("http://me:sec%0Aret@h/"); }),
            "the URL contains a control character in its password");
  EXPECT_EQ(error_message([] { parse_http_url("http://h%0d/"); }), "the URL contains a control character in its host");
}

TEST(HttpUrl, RebasesWhatARedirectLedTo) {
  const std::string tail = "info/refs?service=x";
  EXPECT_EQ(rebased("http://a/r/", "http://a/r/" + tail, "https://b/s/" + tail), "https://b/s/");
  EXPECT_EQ(rebased("http://a/r/", "http://a/r/" + tail, "http://a/r/" + tail), "http://a/r/");
  EXPECT_EQ(rebased("http://a/r/", "http://a/r/" + tail, "https://b/login"), std::nullopt);
}

TEST(HttpUrl, WritesNoPasswordAndNoTokenIntoAConfiguration) {
  EXPECT_EQ(without_secrets("https://me:secret@h/x"), "https://me@h/x");
  EXPECT_EQ(without_secrets("https://me@h/x"), "https://me@h/x");
  EXPECT_EQ(without_secrets("https://ghp_0123456789abcdefghij@h/x"), "https://h/x");
  EXPECT_EQ(without_secrets("https://token:x-oauth-basic@h/x"), "https://h/x");
  EXPECT_EQ(without_secrets("https://token:@h/x"), "https://h/x");
  EXPECT_EQ(without_secrets("https://:secret@h/x"), "https://h/x");
  EXPECT_EQ(without_secrets("https://a:b@c:d@h/x"), "https://a@h/x");
  EXPECT_EQ(without_secrets("ssh://git@h/x"), "ssh://git@h/x");
  EXPECT_EQ(without_secrets("me@h:x"), "me@h:x");
  EXPECT_EQ(without_secrets("/a/b@c"), "/a/b@c");
}

}  // namespace
}  // namespace pfetch::transport
