// A URL of the web taken apart, for connections, proxies and credentials.
//
// Pure. User name and password are percent-decoded and kept apart from the rest, so that `text()` can be shown to
// anybody. Throws ErrorCode::usage for what is no such URL, ErrorCode::refused for a NUL, CR or LF in what goes into
// the line protocol of credentials; neither message shows the URL's user info.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pfetch::transport {

struct HttpUrl {
  std::string scheme;                   // lower case: "https", "socks5" …
  std::optional<std::string> user;      // absent: no '@' in the URL
  std::optional<std::string> password;  // absent: no ':' before the '@'
  std::string host;                     // as given, IPv6 in its brackets
  std::string port;                     // digits, or empty
  std::string path;                     // from the first '/', '?' or '#' on, as given

  std::string authority() const { return port.empty() ? host : host + ":" + port; }
  std::string origin() const { return scheme + "://" + authority(); }
  // Without user info.
  std::string text() const { return origin() + path; }
};

HttpUrl parse_http_url(std::string_view text);

// %XX becomes that byte; a % that begins no such pair stays.
std::string percent_decoded(std::string_view text);

// A request for `asked` (base + tail) was led to `got`: the base of the requests that follow, with the tail taken off
// again. nullopt when `got` does not end with the tail.
std::optional<std::string> rebased(std::string_view base, std::string_view asked, std::string_view got);

// What may be written into a configuration file for `url`: as given, but without the password, and without a user name
// that may itself be a token (20 bytes or more, or beside an empty password or "x-oauth-basic"). Other schemes and
// paths are treated alike; what is no URL stays as it is.
std::string without_secrets(std::string_view url);

}  // namespace pfetch::transport
