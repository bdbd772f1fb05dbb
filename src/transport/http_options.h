// HttpSettings as options of a libcurl handle. Inner room of transport/http_client; same threads and errors.
#pragma once

#include <curl/curl.h>

#include <string>
#include <vector>

#include "transport/connect_options.h"
#include "transport/http_client.h"
#include "transport/libcurl.h"

namespace pfetch::transport {

// Owns the handle.
class CurlOptions {
 public:
  // Throws ErrorCode::config for a setting that libcurl cannot follow.
  explicit CurlOptions(const HttpSettings& settings);
  ~CurlOptions();
  CurlOptions(const CurlOptions&) = delete;
  CurlOptions& operator=(const CurlOptions&) = delete;

  CURL* handle() const { return easy_; }

  void set(CURLoption option, long value) { check(curl_.easy_setopt(easy_, option, value)); }
  void set(CURLoption option, const char* text) { check(curl_.easy_setopt(easy_, option, text)); }
  void set(CURLoption option, void* pointer) { check(curl_.easy_setopt(easy_, option, pointer)); }
  using Callback = std::size_t (*)(char*, std::size_t, std::size_t, void*);
  void set_writer(Callback callback) { check(curl_.easy_setopt(easy_, CURLOPT_WRITEFUNCTION, callback)); }
  void set_header_reader(Callback callback) { check(curl_.easy_setopt(easy_, CURLOPT_HEADERFUNCTION, callback)); }

  void set_request(const HttpRequest& request);
  void set_login(const std::optional<HttpLogin>& login);
  void set_proxy(const std::string& address, const std::optional<HttpLogin>& login);
  void set_family(AddressFamily family);

  // The name that could not be looked up: that of the last request, or that of the proxy.
  std::string host_for(CURLcode code) const;

 private:
  void check(CURLcode code) const;
  void set_text(CURLoption option, const std::optional<std::string>& text);
  void set_tls();
  void set_list(curl_slist*& list, CURLoption option, const std::vector<std::string>& lines);

  const LibCurl& curl_ = LibCurl::get();
  const HttpSettings settings_;
  CURL* easy_;
  curl_slist* headers_ = nullptr;
  curl_slist* resolve_ = nullptr;
  std::string host_, proxy_host_;
};

}  // namespace pfetch::transport
