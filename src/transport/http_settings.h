// What git-config's http.* (with http.<url>.*), remote.<name>.proxy… and the environment say about one URL.
//
// A plain value, made once; names and meaning are Git's. http.postBuffer plays no part: a request is in memory before
// it is sent, so its length is always told. Not read: http.sslTry, noEPSV (FTP), http.sslBackend, schannel…,
// http.delegation, http.minSessions, http.maxRequests (one connection is all there is).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repo/config.h"

namespace pfetch::transport {

struct HttpSettings {
  enum class Redirects { never, initial, always };  // http.followRedirects

  std::string user_agent = "git/2.0 (pfetch " PFETCH_VERSION ")";  // many hosts look for "git/" at its start
  std::vector<std::string> extra_headers;
  Redirects redirects = Redirects::initial;
  std::string redirect_protocols = "http,https";  // where protocol.allow lets a redirect lead to
  std::optional<std::string> version;             // "HTTP/2" or "HTTP/1.1"
  std::optional<bool> empty_auth;                 // absent: "auto"
  std::vector<std::string> resolve;               // http.curloptResolve

  bool ssl_verify = true;
  std::optional<std::string> ssl_ca_info, ssl_ca_path, ssl_cert, ssl_key, ssl_version, ssl_cipher_list, pinned_key;
  bool ssl_cert_protected = false;  // its password is asked for

  std::optional<std::string> proxy;  // "": none, whatever the environment says; absent: the environment decides
  std::optional<std::string> proxy_auth_method;
  std::optional<std::string> no_proxy;
  std::optional<std::string> proxy_ssl_ca_info, proxy_ssl_cert, proxy_ssl_key;

  std::optional<std::string> cookie_file;
  bool save_cookies = false;

  long low_speed_limit = 0;  // bytes in a second
  long low_speed_time = 0;   // seconds

  // http.maxRetries, http.retryAfter, http.maxRetryTime: names of newer Gits, other defaults (see transport/retry)
  std::optional<int> max_retries;
  std::optional<std::chrono::seconds> retry_after;
  std::optional<std::chrono::seconds> max_retry_time;
};

using Variables = std::function<std::optional<std::string>(const std::string& name)>;

// Throws ErrorCode::config for a value that cannot be used.
HttpSettings read_http_settings(const repo::Config& config, std::string_view url, const std::string& remote,
                                const Variables& environment);

}  // namespace pfetch::transport
