#include "transport/http_url.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/error.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t token_bytes_min = 20;

// A line of the credential protocol ends where the value does.
std::string checked(std::string value, const char* what) {
  if (value.find_first_of(std::string_view("\0\r\n", 3)) != std::string::npos) {
    throw Error(ErrorCode::refused, std::string("the URL contains a control character in its ") + what);
  }
  return value;
}

// Where the authority of a URL begins and ends; npos in `begin` for what is no URL.
struct Authority {
  std::size_t begin = std::string_view::npos;
  std::size_t end = 0;
  std::size_t at = std::string_view::npos;  // the '@' that ends the user info
};

Authority find_authority(std::string_view url) {
  Authority found;
  const auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return found;
  found.begin = scheme_end + 3;
  found.end = std::min(url.find_first_of("/?#", found.begin), url.size());
  const auto at = url.substr(found.begin, found.end - found.begin).rfind('@');
  if (at != std::string_view::npos) found.at = found.begin + at;
  return found;
}

void split_user_info(std::string_view info, HttpUrl& url) {
  const auto colon = info.find(':');
  url.user = checked(percent_decoded(info.substr(0, colon)), "user name");
  if (colon != std::string_view::npos) url.password = checked(percent_decoded(info.substr(colon + 1)), "password");
}

void split_host(std::string_view host_port, HttpUrl& url) {
  const auto bracket = host_port.rfind(']');
  const auto colon = host_port.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  url.host = checked(percent_decoded(host_port.substr(0, has_port ? colon : host_port.size())), "host");
  if (!has_port) return;
  url.port = host_port.substr(colon + 1);
  if (!std::all_of(url.port.begin(), url.port.end(), base::is_digit)) {
    throw Error(ErrorCode::usage, "URL using bad/illegal format: the port of host '" + url.host + "' is no number");
  }
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '%' && i + 2 < text.size() && base::hex_digit(text[i + 1]) >= 0 && base::hex_digit(text[i + 2]) >= 0;
    if (!is_escape) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(base::hex_digit(text[i + 1]) * 16 + base::hex_digit(text[i + 2]));
    i += 2;
  }
  return decoded;
}

HttpUrl parse_http_url(std::string_view text) {
  const Authority where = find_authority(text);
  if (where.begin == std::string_view::npos) throw Error(ErrorCode::usage, "not a URL with a scheme and a host");
  HttpUrl url;
  for (const char c : text.substr(0, where.begin - 3)) url.scheme += base::to_lower(c);
  std::size_t host_begin = where.begin;
  if (where.at != std::string_view::npos) {
    split_user_info(text.substr(where.begin, where.at - where.begin), url);
    host_begin = where.at + 1;
  }
  split_host(text.substr(host_begin, where.end - host_begin), url);
  if (url.host.empty()) throw Error(ErrorCode::usage, "URL using bad/illegal format or missing URL: no host in it");
  url.path = text.substr(where.end);
  return url;
}

std::optional<std::string> rebased(std::string_view base, std::string_view asked, std::string_view got) {
  if (got == asked) return std::string(base);
  const std::string_view tail = asked.substr(base.size());
  if (!got.ends_with(tail)) return std::nullopt;
  return std::string(got.substr(0, got.size() - tail.size()));
}

std::string without_secrets(std::string_view url) {
  const Authority where = find_authority(url);
  if (where.at == std::string_view::npos) return std::string(url);
  const std::string_view info = url.substr(where.begin, where.at - where.begin);
  const auto colon = std::min(info.find(':'), info.size());
  const std::string_view user = info.substr(0, colon);
  const std::string_view password = info.substr(std::min(colon + 1, info.size()));
  const bool has_password = colon < info.size();
  const bool may_be_token =
      user.size() >= token_bytes_min || (has_password && (password.empty() || password == "x-oauth-basic"));
  const std::string_view rest = url.substr(where.at + 1);
  std::string shown(url.substr(0, where.begin));
  if (!user.empty() && !may_be_token) shown.append(user).append("@");
  return shown.append(rest);
}

}  // namespace pfetch::transport
