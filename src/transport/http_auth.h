// Who we are towards a server and a proxy: from the URL, then from `git credential`, then nothing more.
//
// The order is Git's: what the URL holds is sent when the server asks; what it lacks is filled in after the first 401;
// a complete credential that gets another 401 is rejected, and that is the end. An accepted one is approved, once.
// "Authorization" of http.extraHeader needs none of this. One thread at a time; errors as in transport/credential.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transport/credential.h"
#include "transport/http_client.h"
#include "transport/http_settings.h"
#include "transport/http_url.h"

namespace pfetch::transport {

class HttpAuth {
 public:
  // All must outlive it. Asks for the password of a proxy, or of a client certificate, if it lacks one.
  HttpAuth(const HttpUrl& url, const HttpSettings& settings, CredentialHelper& helper, HttpClient& client);

  // Headers that a request must carry.
  std::vector<std::string> headers() const;
  // The answer was a 401: true when the request is worth another try with what is known now.
  bool challenged(const HttpHead& head);
  // The answer was a good one.
  void accepted();
  // The requests that follow go to `url`: what was for another server is forgotten.
  void moved_to(const HttpUrl& url);

 private:
  void set_up_proxy();
  void tell_client();
  bool tries_empty() const;

  const HttpSettings& settings_;
  CredentialHelper& helper_;
  HttpClient& client_;
  std::string origin_;
  Credential credential_;
  long methods_ = 0;  // 0: not known yet, any
  bool has_tried_empty_ = false;
  bool is_approved_ = false;
  std::optional<Credential> proxy_;        // to be approved
  std::optional<Credential> certificate_;  // to be approved
};

}  // namespace pfetch::transport
