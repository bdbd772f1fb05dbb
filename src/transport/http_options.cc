#include "transport/http_options.h"

#include <utility>

#include "base/error.h"
#include "transport/http_url.h"

namespace pfetch::transport {

namespace {

constexpr long buffer_bytes = 256L << 10;
constexpr long redirects_max = 20;

long tls_version(const std::string& name) {
  constexpr std::pair<const char*, long> versions[] = {
      {"tlsv1", CURL_SSLVERSION_TLSv1},     {"tlsv1.0", CURL_SSLVERSION_TLSv1_0}, {"tlsv1.1", CURL_SSLVERSION_TLSv1_1},
      {"tlsv1.2", CURL_SSLVERSION_TLSv1_2}, {"tlsv1.3", CURL_SSLVERSION_TLSv1_3},
  };
  for (const auto& [known, value] : versions) {
    if (name == known) return value;
  }
  throw Error(ErrorCode::config, "unsupported SSL version '" + name + "' in http.sslVersion");
}

// "[::1]" as the resolver wants it.
std::string without_brackets(const std::string& host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

CurlOptions::CurlOptions(const HttpSettings& settings) : settings_(settings), easy_(curl_.easy_init()) {
  if (easy_ == nullptr) throw Error(ErrorCode::io, "out of memory");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_NOPROGRESS, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a cancelled look-up is not waited for
  set(CURLOPT_BUFFERSIZE, buffer_bytes);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
  set(CURLOPT_MAXREDIRS, redirects_max);
  set(CURLOPT_POSTREDIR, static_cast<long>(CURL_REDIR_POST_ALL));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, settings_.redirect_protocols.c_str());
  set(CURLOPT_ACCEPT_ENCODING, "deflate, gzip");
  set(CURLOPT_USERAGENT, settings_.user_agent.c_str());
  if (settings_.version == "HTTP/2") set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2));
  if (settings_.version == "HTTP/1.1") set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (settings_.low_speed_limit > 0 && settings_.low_speed_time > 0) {
    set(CURLOPT_LOW_SPEED_LIMIT, settings_.low_speed_limit);
    set(CURLOPT_LOW_SPEED_TIME, settings_.low_speed_time);
  }
  set_text(CURLOPT_COOKIEFILE, settings_.cookie_file);
  if (settings_.save_cookies) set_text(CURLOPT_COOKIEJAR, settings_.cookie_file);
  if (!settings_.resolve.empty()) set_list(resolve_, CURLOPT_RESOLVE, settings_.resolve);
  set_login(std::nullopt);
  set_tls();
}

CurlOptions::~CurlOptions() {
  curl_.easy_cleanup(easy_);
  curl_.slist_free_all(headers_);
  curl_.slist_free_all(resolve_);
}

void CurlOptions::set_tls() {
  set(CURLOPT_SSL_VERIFYPEER, settings_.ssl_verify ? 1L : 0L);
  set(CURLOPT_SSL_VERIFYHOST, settings_.ssl_verify ? 2L : 0L);
  set_text(CURLOPT_CAINFO, settings_.ssl_ca_info);
  set_text(CURLOPT_CAPATH, settings_.ssl_ca_path);
  set_text(CURLOPT_SSLCERT, settings_.ssl_cert);
  set_text(CURLOPT_SSLKEY, settings_.ssl_key);
  set_text(CURLOPT_SSL_CIPHER_LIST, settings_.ssl_cipher_list);
  set_text(CURLOPT_PINNEDPUBLICKEY, settings_.pinned_key);
  if (settings_.ssl_version && !settings_.ssl_version->empty()) {
    set(CURLOPT_SSLVERSION, tls_version(*settings_.ssl_version));
  }
  set_text(CURLOPT_PROXY_CAINFO, settings_.proxy_ssl_ca_info);
  set_text(CURLOPT_PROXY_SSLCERT, settings_.proxy_ssl_cert);
  set_text(CURLOPT_PROXY_SSLKEY, settings_.proxy_ssl_key);
}

void CurlOptions::set_request(const HttpRequest& request) {
  host_ = without_brackets(parse_http_url(request.url).host);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_FOLLOWLOCATION, request.follow_redirects ? 1L : 0L);
  std::vector<std::string> headers = settings_.extra_headers;
  headers.insert(headers.end(), request.headers.begin(), request.headers.end());
  if (request.body) {
    set(CURLOPT_POST, 1L);
    check(curl_.easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size())));
    set(CURLOPT_POSTFIELDS, reinterpret_cast<const char*>(request.body->data()));
    headers.emplace_back("Expect:");  // without it curl waits for a "100 Continue" that proxies may never send
  } else {
    set(CURLOPT_HTTPGET, 1L);
  }
  set_list(headers_, CURLOPT_HTTPHEADER, headers);
}

void CurlOptions::set_login(const std::optional<HttpLogin>& login) {
  set(CURLOPT_HTTPAUTH, login && login->methods != 0 ? login->methods : static_cast<long>(CURLAUTH_ANY));
  set(CURLOPT_USERNAME, login ? login->user.c_str() : static_cast<const char*>(nullptr));
  set(CURLOPT_PASSWORD, login ? login->password.c_str() : static_cast<const char*>(nullptr));
}

void CurlOptions::set_proxy(const std::string& address, const std::optional<HttpLogin>& login) {
  set(CURLOPT_PROXY, address.c_str());
  if (address.empty()) return;
  proxy_host_ = without_brackets(parse_http_url(address).host);
  set_text(CURLOPT_NOPROXY, settings_.no_proxy);
  set(CURLOPT_PROXYAUTH, login && login->methods != 0 ? login->methods : static_cast<long>(CURLAUTH_ANY));
  set(CURLOPT_PROXYUSERNAME, login ? login->user.c_str() : static_cast<const char*>(nullptr));
  set(CURLOPT_PROXYPASSWORD, login ? login->password.c_str() : static_cast<const char*>(nullptr));
}

void CurlOptions::set_family(AddressFamily family) {
  if (family == AddressFamily::ipv4) set(CURLOPT_IPRESOLVE, static_cast<long>(CURL_IPRESOLVE_V4));
  if (family == AddressFamily::ipv6) set(CURLOPT_IPRESOLVE, static_cast<long>(CURL_IPRESOLVE_V6));
}

std::string CurlOptions::host_for(CURLcode code) const {
  return code == CURLE_COULDNT_RESOLVE_PROXY ? proxy_host_ : host_;
}

void CurlOptions::check(CURLcode code) const {
  if (code != CURLE_OK) throw Error(ErrorCode::config, std::string("libcurl: ") + curl_.easy_strerror(code));
}

void CurlOptions::set_text(CURLoption option, const std::optional<std::string>& text) {
  if (text) set(option, text->c_str());
}

void CurlOptions::set_list(curl_slist*& list, CURLoption option, const std::vector<std::string>& lines) {
  curl_slist* fresh = nullptr;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_.slist_append(fresh, line.c_str());
    if (longer == nullptr) {
      curl_.slist_free_all(fresh);
      throw Error(ErrorCode::io, "out of memory");
    }
    fresh = longer;
  }
  set(option, static_cast<void*>(fresh));
  curl_.slist_free_all(std::exchange(list, fresh));
}

}  // namespace pfetch::transport
