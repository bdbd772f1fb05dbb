#include "transport/url.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/error.h"
#include "transport/http_url.h"

namespace pfetch::transport {

namespace {

constexpr unsigned port_max = 65535;

bool is_scheme_char(char c, bool first) {
  return base::is_letter(c) || base::is_digit(c) || (!first && (c == '+' || c == '-' || c == '.'));
}

// The count of characters that could be a scheme or the name of a helper.
std::size_t scheme_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_scheme_char(text[length], length == 0)) ++length;
  return length;
}

// Where the brackets of "[…]" are, after an optional "user@"; npos in both without them.
struct Brackets {
  std::size_t open = std::string_view::npos;
  std::size_t close = std::string_view::npos;
};

Brackets find_brackets(std::string_view authority) {
  Brackets found;
  const auto at = authority.find("@[");
  const std::size_t open = at != std::string_view::npos ? at + 1 : 0;
  if (open >= authority.size() || authority[open] != '[') return found;
  const auto close = authority.find(']', open);
  if (close == std::string_view::npos) return found;
  return {open, close};
}

bool is_port(std::string_view digits) {
  if (digits.empty() || digits.size() > 5) return false;
  unsigned value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value <= port_max;
}

// Splits "[user@]host[:port]", where host may stand in brackets (and "[host:port]" is taken too).
void split_authority(std::string_view authority, Url& url) {
  const Brackets brackets = find_brackets(authority);
  std::string host(authority);
  std::size_t search_from = 0;
  if (brackets.open != std::string_view::npos) {
    const auto after = authority.substr(brackets.close + 1);
    const auto inside = authority.substr(brackets.open + 1, brackets.close - brackets.open - 1);
    host = std::string(authority.substr(0, brackets.open)).append(inside);
    if (after.starts_with(':')) {
      if (is_port(after.substr(1))) url.port = after.substr(1);
      url.user_host = host;
      return;
    }
  }
  const auto colon = host.find(':', search_from);
  if (colon != std::string::npos) {
    const std::string rest = host.substr(colon + 1);
    if (is_port(rest)) url.port = rest;
    if (rest.empty() || is_port(rest)) host.resize(colon);
  }
  url.user_host = host;
}

// "/~user/x" asks the other side for "~user/x".
std::string home_relative(std::string path) {
  return path.starts_with("/~") ? path.substr(1) : path;
}

[[noreturn]] void throw_no_path() {
  throw Error(ErrorCode::usage, "no path specified; see 'git help pull' for valid url syntax");
}

void refuse_option_like(const Url& url) {
  // A host, user or path that begins with '-' would be read as an option by ssh or by the program it runs.
  if (url.scheme == Scheme::ssh && url.user_host.starts_with('-')) {
    throw Error(ErrorCode::refused, "strange hostname '" + url.user_host + "' blocked");
  }
  if (url.path.starts_with('-')) throw Error(ErrorCode::refused, "strange pathname '" + url.path + "' blocked");
}

Url parse_with_scheme(std::string_view text, std::string_view name) {
  Url url;
  url.text = text;
  url.protocol = name;
  if (name == "http" || name == "https") {
    url.scheme = Scheme::http;
    return url;
  }
  const bool is_ssh = name == "ssh" || name == "git+ssh" || name == "ssh+git";
  if (!is_ssh && name != "file" && name != "git") {
    url.scheme = Scheme::external;
    return url;
  }
  const std::string rest = percent_decoded(text.substr(name.size() + 3));
  if (rest.find('\0') != std::string::npos) throw Error(ErrorCode::usage, "a URL cannot contain a NUL byte");
  const auto slash = rest.find('/');
  if (slash == std::string::npos) throw_no_path();
  url.path = rest.substr(slash);
  if (name == "file") {
    url.scheme = Scheme::file;  // a host is not looked at, as in Git
    return url;
  }
  url.path = home_relative(url.path);
  if (is_ssh) {
    url.scheme = Scheme::ssh;
    url.protocol = "ssh";
    split_authority(std::string_view(rest).substr(0, slash), url);
  } else {
    url.scheme = Scheme::git;
    url.user_host = rest.substr(0, slash);
  }
  return url;
}

// "[user@]host:path": the colon that ends the host, or npos.
std::size_t scp_colon(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || text.find('/') < colon) return std::string_view::npos;
  const Brackets brackets = find_brackets(text);
  return brackets.close == std::string_view::npos ? colon : text.find(':', brackets.close);
}

}  // namespace

Url parse_url(std::string_view text, const PathProbe& exists) {
  if (text.find('\0') != std::string_view::npos) throw Error(ErrorCode::usage, "a URL cannot contain a NUL byte");
  if (text.empty()) throw Error(ErrorCode::usage, "no path specified; the URL is empty");
  const bool is_here = exists && exists(std::string(text));
  const std::size_t name_length = scheme_length(text);
  Url url;
  if (!is_here && name_length > 0 && text.substr(name_length).starts_with("::")) {
    url.scheme = Scheme::external;
    url.protocol = text.substr(0, name_length);
    url.text = text;
    return url;
  }
  if (!is_here && name_length > 0 && text.substr(name_length).starts_with("://")) {
    url = parse_with_scheme(text, text.substr(0, name_length));
  } else if (const auto colon = is_here ? std::string_view::npos : scp_colon(text); colon != std::string_view::npos) {
    url.scheme = Scheme::ssh;
    url.protocol = "ssh";
    url.text = text;
    url.path = home_relative(std::string(text.substr(colon + 1)));
    split_authority(text.substr(0, colon), url);
  } else {
    url.protocol = "file";
    url.text = url.path = text;
  }
  refuse_option_like(url);
  if (url.scheme == Scheme::ssh && url.user_host.empty()) {
    throw Error(ErrorCode::usage, "no host in '" + without_user_info(url.text) + "'");
  }
  return url;
}

std::string without_user_info(std::string_view url) {
  const auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::string(url);
  const std::size_t begin = scheme_end + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const auto at = url.substr(begin, end - begin).rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, begin)).append(url.substr(begin + at + 1));
}

std::string apply_instead_of(const std::vector<InsteadOf>& rules, std::string_view url) {
  const InsteadOf* longest = nullptr;
  for (const InsteadOf& rule : rules) {
    if (!url.starts_with(rule.instead_of)) continue;
    if (longest == nullptr || rule.instead_of.size() > longest->instead_of.size()) longest = &rule;
  }
  if (longest == nullptr) return std::string(url);
  return longest->base + std::string(url.substr(longest->instead_of.size()));
}

namespace {

// "always", "never" or "user", with the name of the setting for the message about any other value.
bool allows(std::string_view value, const std::string& setting, bool from_user) {
  if (value == "always") return true;
  if (value == "never") return false;
  if (value == "user") return from_user;
  throw Error(ErrorCode::config, "unknown value for config '" + setting + "': " + std::string(value));
}

bool is_listed(std::string_view list, std::string_view name) {
  for (;;) {
    const auto colon = list.find(':');
    if (list.substr(0, colon) == name) return true;
    if (colon == std::string_view::npos) return false;
    list.remove_prefix(colon + 1);
  }
}

}  // namespace

bool is_allowed(const ProtocolPolicy& policy, const std::string& protocol) {
  if (policy.only) return is_listed(*policy.only, protocol);
  const auto own = policy.by_name.find(protocol);
  if (own != policy.by_name.end()) return allows(own->second, "protocol." + protocol + ".allow", policy.from_user);
  if (policy.allow) return allows(*policy.allow, "protocol.allow", policy.from_user);
  if (protocol == "http" || protocol == "https" || protocol == "git" || protocol == "ssh") return true;
  return protocol != "ext" && policy.from_user;
}

void require_allowed(const ProtocolPolicy& policy, const std::string& protocol) {
  if (!is_allowed(policy, protocol)) throw Error(ErrorCode::refused, "transport '" + protocol + "' not allowed");
}

}  // namespace pfetch::transport
