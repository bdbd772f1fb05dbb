#include "transport/http_settings.h"

#include "base/ascii.h"
#include "base/error.h"
#include "transport/http_url_match.h"

namespace pfetch::transport {

namespace {

// Git takes the variable if it is set and not empty… for these it is enough that it is set.
void override_with(std::optional<std::string>& setting, const Variables& environment, const char* name) {
  if (auto value = environment(name)) setting = std::move(value);
}

void read_ssl(HttpSettings& settings, const repo::Config& http, const Variables& environment) {
  settings.ssl_verify = http.get_bool("http.sslverify", true);
  if (environment("GIT_SSL_NO_VERIFY")) settings.ssl_verify = false;
  settings.ssl_ca_info = http.get_path("http.sslcainfo");
  settings.ssl_ca_path = http.get_path("http.sslcapath");
  settings.ssl_cert = http.get_path("http.sslcert");
  settings.ssl_key = http.get_path("http.sslkey");
  settings.ssl_version = http.get("http.sslversion");
  settings.ssl_cipher_list = http.get("http.sslcipherlist");
  settings.pinned_key = http.get_path("http.pinnedpubkey");
  settings.ssl_cert_protected = http.get_bool("http.sslcertpasswordprotected", false);
  override_with(settings.ssl_ca_info, environment, "GIT_SSL_CAINFO");
  override_with(settings.ssl_ca_path, environment, "GIT_SSL_CAPATH");
  override_with(settings.ssl_cert, environment, "GIT_SSL_CERT");
  override_with(settings.ssl_key, environment, "GIT_SSL_KEY");
  override_with(settings.ssl_version, environment, "GIT_SSL_VERSION");
  override_with(settings.ssl_cipher_list, environment, "GIT_SSL_CIPHER_LIST");
  if (environment("GIT_SSL_CERT_PASSWORD_PROTECTED")) settings.ssl_cert_protected = true;
}

// The variables that curl knows, asked for here since a proxy's password may have to be asked for.
std::optional<std::string> proxy_of_environment(std::string_view url, const Variables& environment) {
  std::optional<std::string> proxy;
  if (base::starts_ignoring_case(url, "https://")) {
    override_with(proxy, environment, "HTTPS_PROXY");
    override_with(proxy, environment, "https_proxy");
  } else {
    override_with(proxy, environment, "http_proxy");  // not in capitals: a CGI's request header would set that
  }
  if (proxy) return proxy;
  override_with(proxy, environment, "ALL_PROXY");
  override_with(proxy, environment, "all_proxy");
  return proxy;
}

void read_proxy(HttpSettings& settings, const repo::Config& config, const repo::Config& http, std::string_view url,
                const std::string& remote, const Variables& environment) {
  settings.proxy = http.get("http.proxy");
  settings.proxy_auth_method = http.get("http.proxyauthmethod");
  override_with(settings.proxy_auth_method, environment, "GIT_HTTP_PROXY_AUTHMETHOD");
  if (auto own = config.get("remote." + remote + ".proxy")) settings.proxy = std::move(own);
  if (auto own = config.get("remote." + remote + ".proxyauthmethod")) settings.proxy_auth_method = std::move(own);
  if (!settings.proxy) settings.proxy = proxy_of_environment(url, environment);
  override_with(settings.no_proxy, environment, "NO_PROXY");
  override_with(settings.no_proxy, environment, "no_proxy");
  settings.proxy_ssl_ca_info = http.get_path("http.proxysslcainfo");
  settings.proxy_ssl_cert = http.get_path("http.proxysslcert");
  settings.proxy_ssl_key = http.get_path("http.proxysslkey");
  override_with(settings.proxy_ssl_ca_info, environment, "GIT_PROXY_SSL_CAINFO");
  override_with(settings.proxy_ssl_cert, environment, "GIT_PROXY_SSL_CERT");
  override_with(settings.proxy_ssl_key, environment, "GIT_PROXY_SSL_KEY");
}

HttpSettings::Redirects redirects_of(const repo::Config& http) {
  const auto value = http.has("http.followredirects") ? http.get("http.followredirects") : std::nullopt;
  if (!value || *value == "initial") return HttpSettings::Redirects::initial;
  return http.get_bool("http.followredirects", true) ? HttpSettings::Redirects::always : HttpSettings::Redirects::never;
}

long number_of(const Variables& environment, const char* name, std::int64_t otherwise) {
  const auto value = environment(name);
  return value ? std::strtol(value->c_str(), nullptr, 10) : static_cast<long>(otherwise);
}

}  // namespace

HttpSettings read_http_settings(const repo::Config& config, std::string_view url, const std::string& remote,
                                const Variables& environment) {
  const repo::Config http = scoped_config(config, "http", url);
  HttpSettings settings;
  settings.user_agent = http.get("http.useragent", settings.user_agent);
  if (auto agent = environment("GIT_HTTP_USER_AGENT")) settings.user_agent = *agent;
  for (std::string& header : http.get_all("http.extraheader")) {
    if (header.empty()) settings.extra_headers.clear();
    if (!header.empty()) settings.extra_headers.push_back(std::move(header));
  }
  settings.redirects = redirects_of(http);
  settings.version = http.get("http.version");
  if (const auto value = http.get("http.emptyauth", "auto"); value != "auto") {
    settings.empty_auth = http.get_bool("http.emptyauth");
  }
  for (std::string& line : http.get_all("http.curloptresolve")) {
    if (line.empty()) settings.resolve.clear();
    if (!line.empty()) settings.resolve.push_back(std::move(line));
  }
  read_ssl(settings, http, environment);
  read_proxy(settings, config, http, url, remote, environment);
  settings.cookie_file = http.get_path("http.cookiefile");
  settings.save_cookies = http.get_bool("http.savecookies", false);
  settings.low_speed_limit = number_of(environment, "GIT_HTTP_LOW_SPEED_LIMIT", http.get_int("http.lowspeedlimit", 0));
  settings.low_speed_time = number_of(environment, "GIT_HTTP_LOW_SPEED_TIME", http.get_int("http.lowspeedtime", 0));
  if (const auto count = http.get_int("http.maxretries")) settings.max_retries = static_cast<int>(*count);
  if (const auto wait = http.get_int("http.retryafter")) settings.retry_after = std::chrono::seconds(*wait);
  if (const auto wait = http.get_int("http.maxretrytime")) settings.max_retry_time = std::chrono::seconds(*wait);
  return settings;
}

}  // namespace pfetch::transport
