#include "transport/http_auth.h"

#include <curl/curl.h>

#include <utility>

#include "base/error.h"

namespace pfetch::transport {

namespace {

constexpr long simple_methods =
    static_cast<long>(CURLAUTH_BASIC) | static_cast<long>(CURLAUTH_DIGEST) | static_cast<long>(CURLAUTH_DIGEST_IE);

long proxy_methods(const std::optional<std::string>& name) {
  constexpr std::pair<const char*, unsigned long> known[] = {{"basic", CURLAUTH_BASIC},
                                                             {"digest", CURLAUTH_DIGEST},
                                                             {"negotiate", CURLAUTH_GSSNEGOTIATE},
                                                             {"ntlm", CURLAUTH_NTLM},
                                                             {"anyauth", CURLAUTH_ANY}};
  for (const auto& [word, bits] : known) {
    if (name == word) return static_cast<long>(bits);
  }
  return static_cast<long>(CURLAUTH_ANY);
}

}  // namespace

HttpAuth::HttpAuth(const HttpUrl& url, const HttpSettings& settings, CredentialHelper& helper, HttpClient& client)
    : settings_(settings), helper_(helper), client_(client), origin_(url.origin()), credential_(credential_of(url)) {
  set_up_proxy();
  if (settings_.ssl_cert && settings_.ssl_cert_protected) {
    Credential certificate;
    certificate.protocol = "cert";
    certificate.path = *settings_.ssl_cert;
    certificate.username = "";
    helper_.fill(certificate);
    client_.set_key_password(certificate.password.value_or(""));
    certificate_ = std::move(certificate);
  }
  tell_client();
}

void HttpAuth::set_up_proxy() {
  if (!settings_.proxy) return;
  if (settings_.proxy->empty()) return client_.set_proxy("", std::nullopt);
  const bool has_scheme = settings_.proxy->find("://") != std::string::npos;
  HttpUrl url;
  try {
    url = parse_http_url(has_scheme ? *settings_.proxy : "http://" + *settings_.proxy);
  } catch (const Error& error) {
    throw Error(ErrorCode::config, "Invalid proxy URL: " + error.message());
  }
  std::optional<HttpLogin> login;
  if (url.user) {
    Credential proxy = credential_of(url);
    if (!proxy.password) helper_.fill(proxy);
    login =
        HttpLogin{proxy_methods(settings_.proxy_auth_method), proxy.username.value_or(""), proxy.password.value_or("")};
    proxy_ = std::move(proxy);
  }
  client_.set_proxy(url.origin(), login);
}

// With "auto", an empty name is tried where the server offers what needs none (a Kerberos ticket).
bool HttpAuth::tries_empty() const {
  return settings_.empty_auth.value_or(methods_ != 0 && (methods_ & ~simple_methods) != 0);
}

void HttpAuth::tell_client() {
  std::optional<HttpLogin> login;
  if (credential_.token.empty()) {
    if (credential_.username && credential_.password) {
      login = HttpLogin{methods_, *credential_.username, *credential_.password};
    } else if (tries_empty() && !has_tried_empty_) {
      login = HttpLogin{methods_, "", ""};
      has_tried_empty_ = true;
    }
  }
  client_.set_login(login);
}

std::vector<std::string> HttpAuth::headers() const {
  if (credential_.token.empty()) return {};
  return {"Authorization: " + credential_.auth_type + " " + credential_.token};
}

bool HttpAuth::challenged(const HttpHead& head) {
  if (credential_.is_complete()) {
    helper_.reject(credential_);
    return false;
  }
  if (head.auth_methods != 0) methods_ = head.auth_methods;
  const bool had_tried_empty = has_tried_empty_;
  if (had_tried_empty) methods_ &= ~static_cast<long>(CURLAUTH_GSSNEGOTIATE);
  if (had_tried_empty || !tries_empty()) {
    credential_.www_auth = head.www_authenticate;
    helper_.fill(credential_);
    is_approved_ = false;
  }
  tell_client();
  return true;
}

void HttpAuth::accepted() {
  if (!is_approved_ && credential_.is_complete() && !credential_.ephemeral) helper_.approve(credential_);
  if (proxy_) helper_.approve(*proxy_);
  if (certificate_) helper_.approve(*certificate_);
  is_approved_ = true;
  proxy_.reset();
  certificate_.reset();
}

void HttpAuth::moved_to(const HttpUrl& url) {
  if (url.origin() == origin_) return;
  origin_ = url.origin();
  credential_ = credential_of(url);
  methods_ = 0;
  is_approved_ = has_tried_empty_ = false;
  tell_client();
}

}  // namespace pfetch::transport
