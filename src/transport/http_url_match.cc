#include "transport/http_url_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.h"

namespace pfetch::transport {

namespace {

constexpr unsigned port_max = 65535;
constexpr std::string_view reserved = ":/?#[]@!$&'()*+,;=";
constexpr std::string_view unsafe = " <>\"%{}|\\^`";

// Escapes in one form: what need not be escaped is not, what must is, reserved characters stay as they were written.
std::optional<std::string> normalised_escapes(std::string_view text) {
  std::string normal;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    const bool was_escaped = c == '%';
    if (was_escaped) {
      if (i + 2 >= text.size() || base::hex_digit(text[i + 1]) < 0 || base::hex_digit(text[i + 2]) < 0) return {};
      c = static_cast<char>(base::hex_digit(text[i + 1]) * 16 + base::hex_digit(text[i + 2]));
      i += 2;
    }
    const auto byte = static_cast<unsigned char>(c);
    const bool must = byte <= 0x1f || byte >= 0x7f || unsafe.find(c) != std::string_view::npos ||
                      (was_escaped && reserved.find(c) != std::string_view::npos);
    if (must) {
      normal += fmt::format("%{:02X}", byte);
    } else {
      normal += c;
    }
  }
  return normal;
}

// Without "." and ".." parts; nullopt when ".." leads out at the top.
std::optional<std::string> normalised_path(std::string_view path) {
  const std::size_t end = std::min(path.find_first_of("?#"), path.size());
  std::string_view rest = path.substr(0, end);
  std::string normal = "/";
  if (rest.starts_with('/')) rest.remove_prefix(1);
  for (bool is_last = false; !is_last;) {
    const auto slash = rest.find('/');
    is_last = slash == std::string_view::npos;
    const auto part = normalised_escapes(rest.substr(0, slash));
    if (!part) return std::nullopt;
    if (*part == "..") {
      if (normal.size() == 1) return std::nullopt;
      normal.resize(normal.rfind('/', normal.size() - 2) + 1);
    } else if (*part != ".") {
      normal += *part;
      if (!is_last) normal += '/';
    }
    if (!is_last) rest.remove_prefix(slash + 1);
  }
  const auto query = normalised_escapes(path.substr(end));
  return query ? std::optional(normal + *query) : std::nullopt;
}

// The port without leading zeros, empty for the scheme's own; nullopt for what is no port.
std::optional<std::string> normalised_port(std::string_view digits, std::string_view scheme) {
  while (digits.starts_with('0')) digits.remove_prefix(1);
  if (digits.size() > 5 || !std::all_of(digits.begin(), digits.end(), base::is_digit)) return std::nullopt;
  const std::string port(digits);
  if (port.empty() || std::stoul(port) > port_max) return std::nullopt;
  if ((scheme == "http" && port == "80") || (scheme == "https" && port == "443")) return std::string();
  return port;
}

bool split_host_and_port(std::string_view host_port, bool is_pattern, NormalUrl& url) {
  auto colon = host_port.rfind(':');
  if (host_port.starts_with('[') && host_port.find(']') != std::string_view::npos && host_port.ends_with(']')) {
    colon = std::string_view::npos;
  }
  for (const char c : host_port.substr(0, colon)) {
    const bool allowed =
        base::is_letter(c) || base::is_digit(c) || std::string_view(".-_[:]").find(c) != std::string::npos;
    if (!allowed && !(is_pattern && c == '*')) return false;
    url.host += base::to_lower(c);
  }
  if (url.host.empty()) return false;
  if (colon == std::string_view::npos || colon + 1 == host_port.size()) return true;
  const auto port = normalised_port(host_port.substr(colon + 1), url.scheme);
  if (port) url.port = *port;
  return port.has_value();
}

// Parts between dots, each equal or "*" in the pattern.
bool host_matches(std::string_view host, std::string_view pattern) {
  while (!host.empty() && !pattern.empty()) {
    const auto host_end = std::min(host.find('.'), host.size());
    const auto pattern_end = std::min(pattern.find('.'), pattern.size());
    const std::string_view part = pattern.substr(0, pattern_end);
    if (part != "*" && part != host.substr(0, host_end)) return false;
    host.remove_prefix(std::min(host_end + 1, host.size()));
    pattern.remove_prefix(std::min(pattern_end + 1, pattern.size()));
  }
  return host.empty() && pattern.empty();
}

// The bytes of the path that a prefix covers, its last slash counted whether it is written or not; 0: no match.
std::size_t path_match(std::string_view path, std::string_view prefix) {
  if (prefix.empty() || prefix == "/") return path.empty() || path[0] == '/' ? 1 : 0;
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (!path.starts_with(prefix)) return 0;
  return path.size() == prefix.size() || path[prefix.size()] == '/' ? prefix.size() + 1 : 0;
}

}  // namespace

std::optional<NormalUrl> normalised_url(std::string_view text, bool is_pattern) {
  const auto scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return std::nullopt;
  NormalUrl url;
  for (const char c : text.substr(0, scheme_end)) {
    if (!base::is_letter(c) && !base::is_digit(c) && c != '+' && c != '-' && c != '.') return std::nullopt;
    url.scheme += base::to_lower(c);
  }
  text.remove_prefix(scheme_end + 3);
  const auto authority_end = std::min(text.find_first_of("/?#"), text.size());
  std::string_view authority = text.substr(0, authority_end);
  if (const auto at = authority.find('@'); at != std::string_view::npos) {
    const std::string_view info = authority.substr(0, at);
    url.user = normalised_escapes(info.substr(0, info.find(':')));
    if (!url.user) return std::nullopt;
    authority.remove_prefix(at + 1);
  }
  if (!split_host_and_port(authority, is_pattern, url)) return std::nullopt;
  const auto path = normalised_path(text.substr(authority_end));
  if (!path) return std::nullopt;
  url.path = *path;
  return url;
}

std::optional<UrlMatch> match_url(const NormalUrl& url, const NormalUrl& pattern) {
  if (url.scheme != pattern.scheme || url.port != pattern.port) return std::nullopt;
  if (pattern.user && url.user != pattern.user) return std::nullopt;
  if (!host_matches(url.host, pattern.host)) return std::nullopt;
  const std::size_t path_bytes = path_match(url.path, pattern.path);
  if (path_bytes == 0) return std::nullopt;
  return UrlMatch{pattern.host.size(), path_bytes, pattern.user.has_value()};
}

repo::Config scoped_config(const repo::Config& config, std::string_view section, std::string_view url) {
  const auto normal = normalised_url(url);
  const std::string prefix = std::string(section) + ".";
  std::map<std::string, UrlMatch, std::less<>> best;
  std::vector<repo::ConfigEntry> entries;
  config.for_each(prefix, [&](const repo::ConfigEntry& entry) {
    const std::string_view rest = std::string_view(entry.key).substr(prefix.size());
    const auto dot = rest.rfind('.');
    UrlMatch match;
    if (dot != std::string_view::npos) {
      const auto pattern = normalised_url(rest.substr(0, dot), true);
      const auto found = normal && pattern ? match_url(*normal, *pattern) : std::nullopt;
      if (!found) return;
      match = *found;
    }
    const std::string variable(dot == std::string_view::npos ? rest : rest.substr(dot + 1));
    const auto [known, is_new] = best.try_emplace(variable, match);
    if (!is_new && match < known->second) return;
    known->second = match;
    entries.push_back(entry);
    entries.back().key = prefix + variable;
  });
  return repo::Config(std::move(entries), config.home());
}

}  // namespace pfetch::transport
