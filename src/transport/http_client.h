// One HTTP exchange after the other, over connections that are kept (libcurl).
//
// The body of a response is pulled: read() runs the transfer on the calling thread until bytes are there, straight into
// the caller's memory, and waits in poll(2) for the server or a cancellation. Nothing runs between two calls; what the
// caller does not take waits in the socket. Buffers: 256 kB in libcurl, one piece of 16 kB here. One thread at a time.
//
// Throws TransientError for trouble of the network that may pass, Error (ErrorCode::remote) for any other, both in
// libcurl's words; an answer with a bad status is no error here.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/cancel.h"
#include "transport/connect_options.h"
#include "transport/http_settings.h"

namespace pfetch::transport {

struct HttpRequest {
  std::string url;                   // without user info
  std::vector<std::string> headers;  // beside http.extraHeader
  std::optional<base::Bytes> body;   // a POST; must live until the response was read or given up
  bool follow_redirects = false;
};

struct HttpHead {
  long status = 0;
  std::string content_type;   // lower case, without parameters
  std::string effective_url;  // after redirects
  long auth_methods = 0;      // CURLAUTH_… bits that the server offers
  std::vector<std::string> www_authenticate;
  std::optional<std::chrono::seconds> retry_after;
};

// A user's name and password, and the methods (CURLAUTH_… bits) that they may be used with.
struct HttpLogin {
  long methods = 0;
  std::string user;
  std::string password;
};

class HttpClient {
 public:
  // `cancel` must outlive it.
  HttpClient(const HttpSettings& settings, const base::Cancellation& cancel);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Allows every method that libcurl has; with a user name also tells who we are.
  void set_login(const std::optional<HttpLogin>& login);
  // `address` without user info; "" for no proxy.
  void set_proxy(const std::string& address, const std::optional<HttpLogin>& login);
  void set_key_password(const std::string& password);
  void set_family(AddressFamily family);

  // Sends the request and waits for the answer's head (and the first bytes of its body). The response before is read
  // to its end first if that is near, so that the connection can be kept.
  HttpHead start(const HttpRequest& request);
  // Bytes of the body, `first` filled before `second`; 0 at its end.
  std::size_t read(std::span<std::byte> first, std::span<std::byte> second);
  // The rest of the body, cut after `bytes_max`.
  std::string read_rest(std::size_t bytes_max);
  // Gives up the response and its connection, without waiting for anything.
  void abandon();

 private:
  void drain();

  struct Transfer;
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace pfetch::transport
