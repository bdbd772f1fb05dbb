// Which settings of `http.<url>.*` (or any section like it) apply to a URL: Git's rules.
//
// The rules (git-config, "http.<url>.*"): scheme and port must be equal, host parts equal or "*" in the pattern, the
// path a prefix that ends at a slash, the user name equal if the pattern has one. The longest host pattern, then the
// longest path, then a matching user name wins, for each variable by itself; of equal ones the later. URLs are compared
// in a normal form: case of scheme and host, default ports, escapes, "." and "..". Pure, thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "repo/config.h"

namespace pfetch::transport {

struct NormalUrl {
  std::string scheme;
  std::optional<std::string> user;  // the password plays no part
  std::string host;
  std::string port;  // empty for the scheme's own
  std::string path;  // begins with '/'
};

// nullopt for what cannot be normalised, and so matches nothing. A pattern may have "*" as a part of its host.
std::optional<NormalUrl> normalised_url(std::string_view url, bool is_pattern = false);

// How well a pattern matches; greater is better.
struct UrlMatch {
  std::size_t host_bytes = 0;
  std::size_t path_bytes = 0;
  bool user = false;
  bool operator<(const UrlMatch& other) const {
    return std::tie(host_bytes, path_bytes, user) < std::tie(other.host_bytes, other.path_bytes, other.user);
  }
};
std::optional<UrlMatch> match_url(const NormalUrl& url, const NormalUrl& pattern);

// The settings of `section` that apply to `url`, as settings without a URL: "http.https://x/.proxy" becomes
// "http.proxy" where it applies and nothing better was seen. A list (http.extraHeader) keeps all that applied.
repo::Config scoped_config(const repo::Config& config, std::string_view section, std::string_view url);

}  // namespace pfetch::transport
