#include "transport/http_connection.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "base/error.h"
#include "transport/http_auth.h"
#include "transport/http_client.h"
#include "transport/http_url.h"
#include "transport/sideband.h"

namespace pfetch::transport {

namespace {

constexpr const char* service = "git-upload-pack";
constexpr std::size_t error_text_bytes_max = 8192;
constexpr std::size_t packet_head_bytes = 4;

std::string gzip(base::Bytes bytes) {
  z_stream stream{};
  constexpr int gzip_window_bits = 15 + 16;
  constexpr int memory_level = 8;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw Error(ErrorCode::io, "out of memory");
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Statuses of a server that may answer the next time: too many requests, and what gateways say.
bool may_pass(long status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

class HttpConnection : public Connection {
 public:
  HttpConnection(const Url& url, const ConnectOptions& options, std::shared_ptr<Retries> retries,
                 const base::Cancellation& cancel)
      : options_(options),
        retries_(std::move(retries)),
        client_(options_.http, cancel),
        helper_({options_.child_environment, options_.warn, options_.asking}, cancel),
        url_(with_slash(parse_http_url(url.text))),
        base_(url_.text()),
        auth_(url_, options_.http, helper_, client_) {
    if (options_.protocol_version > 0) {
      version_header_ = "Git-Protocol: version=" + std::to_string(options_.protocol_version);
    }
    client_.set_family(options_.family);
    HttpConnection::restart();
  }

  std::size_t read(std::span<std::byte> into) override { return read_scattered(into, {}); }

  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte> second) override {
    if (!begun_.empty()) {
      const std::size_t count = std::min(begun_.size(), first.size());
      std::memcpy(first.data(), begun_.data(), count);
      begun_.erase(0, count);
      return count;
    }
    try {
      return client_.read(first, second);
    } catch (Error& error) {
      lost_ = dynamic_cast<TransientError*>(&error) != nullptr;
      if (error.code() != ErrorCode::cancelled) error.add_context("unable to access '" + base_ + "'");
      throw;
    }
  }

  void write(base::Bytes bytes) override {
    begun_.clear();
    HttpRequest request;
    request.url = base_ + service;
    request.headers = {fmt::format("Content-Type: application/x-{}-request", service),
                       fmt::format("Accept: application/x-{}-result", service)};
    if (bytes.size() > gzip_bytes_min) {
      body_ = gzip(bytes);
      request.headers.emplace_back("Content-Encoding: gzip");
    } else {
      body_ = base::as_text(bytes);
    }
    request.body = base::as_bytes(body_);
    request.follow_redirects = options_.http.redirects == HttpSettings::Redirects::always;
    const HttpHead head = exchange(request);
    bytes_sent_ += body_.size();
    require_type(head, "-result");
  }

  // The last response has been read as far as anybody wants it; how the server ends it changes nothing.
  void finish() override { client_.abandon(); }
  bool stateless() const override { return true; }
  bool lost() const override { return lost_; }
  bool restarts() const override { return true; }

  void restart() override {
    lost_ = false;
    begun_.clear();
    HttpRequest request;
    request.url = base_ + "info/refs" + (base_.find('?') == std::string::npos ? "?" : "&") + "service=" + service;
    request.headers = {"Pragma: no-cache"};
    request.follow_redirects = options_.http.redirects != HttpSettings::Redirects::never;
    const HttpHead head = exchange(request);
    require_type(head, "-advertisement");
    strip_service_line();
  }

 private:
  static HttpUrl with_slash(HttpUrl url) {
    if (!url.path.ends_with('/')) url.path += '/';
    return url;
  }

  // Makes the request until it has a good answer; returns its head, with the body not read yet.
  HttpHead exchange(const HttpRequest& request) {
    for (;;) {
      try {
        return exchange_once(request);
      } catch (Error& error) {
        if (error.code() == ErrorCode::cancelled) throw;
        if (dynamic_cast<TransientError*>(&error) == nullptr || !retries_->wait_for_another(error)) throw;
      }
    }
  }

  HttpHead exchange_once(HttpRequest request) {
    const std::vector<std::string> headers = request.headers;
    for (;;) {
      request.headers = headers;
      if (!version_header_.empty()) request.headers.push_back(version_header_);
      for (std::string& header : auth_.headers()) request.headers.push_back(std::move(header));
      const HttpHead head = start(request);
      const bool is_useful = head.status == 401 || (head.status >= 200 && head.status < 300);
      if (!request.body && is_useful) follow(request.url, head);
      if (head.status == 401) {
        show_error_text(head);
        if (!auth_.challenged(head)) throw Error(ErrorCode::remote, "Authentication failed for '" + base_ + "'");
        if (!request.body) request.url = head.effective_url;
        continue;
      }
      if (!is_useful) refuse(head);
      auth_.accepted();
      return head;
    }
  }

  HttpHead start(const HttpRequest& request) {
    try {
      return client_.start(request);
    } catch (Error& error) {
      if (error.code() != ErrorCode::cancelled) error.add_context("unable to access '" + base_ + "'");
      throw;
    }
  }

  // The first request may have been led elsewhere; the ones that follow go there directly.
  void follow(const std::string& asked, const HttpHead& head) {
    if (head.effective_url == asked) return;
    const HttpUrl got = parse_http_url(head.effective_url);
    const auto base = rebased(base_, asked, got.text());
    if (!base) {
      throw Error(ErrorCode::remote, "unable to update url base from redirection:\n  asked for: " + asked +
                                         "\n   redirect: " + got.text());
    }
    if (*base == base_) return;
    base_ = *base;
    if (options_.warn) options_.warn("redirecting to " + base_);
    auth_.moved_to(got);
  }

  [[noreturn]] void refuse(const HttpHead& head) {
    show_error_text(head);
    if (head.status == 404) throw Error(ErrorCode::not_found, "repository '" + base_ + "' not found");
    const std::string message =
        "unable to access '" + base_ + "': The requested URL returned error: " + std::to_string(head.status);
    if (may_pass(head.status)) throw TransientError(message, head.retry_after);
    throw Error(ErrorCode::remote, message);
  }

  // What a server says in plain text is for the user.
  void show_error_text(const HttpHead& head) {
    if (head.content_type != "text/plain" || !options_.message) return;
    std::string text = client_.read_rest(error_text_bytes_max);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
    if (text.empty()) return;
    MessageLines lines(options_.message);
    lines.add(text + "\n");
  }

  void require_type(const HttpHead& head, const std::string& kind) const {
    if (head.content_type == fmt::format("application/x-{}{}", service, kind)) return;
    if (kind == "-advertisement") {
      throw Error(ErrorCode::unsupported,
                  "'" + base_ + "' does not answer in git's smart HTTP protocol (it sends '" +
                      cleaned(head.content_type) +
                      "'): either it is no git repository, or its server is a \"dumb\" one, which pfetch does not "
                      "support");
    }
    throw Error(ErrorCode::protocol,
                "'" + base_ + "' sends '" + cleaned(head.content_type) + "' as the answer to '" + service + "'");
  }

  // Many servers put a packet "# service=git-upload-pack" and a flush before the greeting. Takes them off.
  void strip_service_line() {
    constexpr std::string_view mark = "# service=";
    if (!begin(packet_head_bytes + mark.size()) || begun_.compare(packet_head_bytes, mark.size(), mark) != 0) return;
    std::size_t length = 0;
    for (std::size_t i = 0; i < packet_head_bytes; ++i) {
      length = length * 16 + static_cast<std::size_t>(std::max(0, base::hex_digit(begun_[i])));
    }
    if (!begin(length + packet_head_bytes)) throw Error(ErrorCode::protocol, "invalid server response; got a cut line");
    std::string name = begun_.substr(packet_head_bytes + mark.size(), length - packet_head_bytes - mark.size());
    if (name.ends_with('\n')) name.pop_back();
    if (name != service) {
      throw Error(ErrorCode::protocol, "invalid server response; got '# service=" + cleaned(name) + "'");
    }
    if (begun_.compare(length, packet_head_bytes, "0000") != 0) {
      throw Error(ErrorCode::protocol, "invalid server response; expected a flush packet after the service");
    }
    begun_.erase(0, length + packet_head_bytes);
  }

  // Reads until `count` bytes of the body are at hand in `begun_`; false when it is shorter.
  bool begin(std::size_t count) {
    std::byte piece[256];
    while (begun_.size() < count) {
      const std::size_t got = client_.read(std::span(piece).first(std::min(sizeof piece, count - begun_.size())), {});
      if (got == 0) return false;
      begun_.append(base::as_text({piece, got}));
    }
    return true;
  }

  const ConnectOptions options_;
  const std::shared_ptr<Retries> retries_;
  HttpClient client_;
  CredentialHelper helper_;
  const HttpUrl url_;
  std::string base_;  // of all requests, without user info, with a slash at its end
  HttpAuth auth_;
  std::string version_header_;
  std::string body_;   // of the request in flight
  std::string begun_;  // the start of a response's body, read already
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<Connection> connect_http(const Url& url, const ConnectOptions& options,
                                         std::shared_ptr<Retries> retries, const base::Cancellation& cancel) {
  return std::make_unique<HttpConnection>(url, options, std::move(retries), cancel);
}

}  // namespace pfetch::transport
