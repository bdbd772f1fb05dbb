#include "transport/http_client.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "base/ascii.h"
#include "base/error.h"
#include "transport/http_options.h"
#include "transport/libcurl.h"
#include "transport/resolve.h"
#include "transport/retry.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t drained_bytes_max = std::size_t{64} << 10;
constexpr std::size_t challenges_max = 100;

// Copies what fits into `into`, and takes both ends off.
std::size_t move_bytes(std::string_view& from, std::span<std::byte>& into) {
  const std::size_t count = std::min(from.size(), into.size());
  if (count > 0) std::memcpy(into.data(), from.data(), count);
  from.remove_prefix(count);
  into = into.subspan(count);
  return count;
}

}  // namespace

struct HttpClient::Transfer {
  Transfer(const HttpSettings& settings, const base::Cancellation& cancelled)
      : options(settings), easy(options.handle()), multi(curl.multi_init()), cancel(cancelled) {
    if (multi == nullptr) throw Error(ErrorCode::io, "out of memory");
    options.set(CURLOPT_ERRORBUFFER, error_text);
    options.set(CURLOPT_WRITEDATA, this);
    options.set(CURLOPT_HEADERDATA, this);
    options.set_writer(&Transfer::take_body);
    options.set_header_reader(&Transfer::take_header);
  }

  ~Transfer() {
    end();
    curl.multi_cleanup(multi);
  }

  void begin(const HttpRequest& request) {
    end();
    head = {};
    spill.clear();
    spill_taken = 0;
    is_paused = is_done = has_body = false;
    result = CURLE_OK;
    error_text[0] = '\0';
    options.set_request(request);
    check(curl.multi_add_handle(multi, easy));
    is_running = true;
  }

  // Takes the transfer out; its connection stays for the next one only if the response was read to its end.
  void end() {
    if (is_running) curl.multi_remove_handle(multi, easy);
    is_running = false;
  }

  // Goes on with the transfer; when nothing came, waits until something may.
  void step() {
    cancel.throw_if_requested();
    int count = 0;
    check(curl.multi_perform(multi, &count));
    for (int left = 0; const CURLMsg* message = curl.multi_info_read(multi, &left);) {
      if (message->msg != CURLMSG_DONE) continue;
      is_done = true;
      result = message->data.result;
    }
    if (is_done || delivered > 0 || has_spill()) return;
    curl_waitfd cancelled{cancel.fd(), CURL_WAIT_POLLIN, 0};
    check(curl.multi_poll(multi, &cancelled, 1, INT_MAX, nullptr));
  }

  std::size_t read(std::span<std::byte> into, std::span<std::byte> then) {
    for (;;) {
      if (has_spill()) return take_spill(into, then);
      if (is_done || !is_running) {
        end();
        throw_if_failed();
        return 0;
      }
      first = into;
      second = then;
      delivered = 0;
      // What libcurl holds is delivered from within.
      if (std::exchange(is_paused, false)) check(curl.easy_pause(easy, CURLPAUSE_CONT));
      if (delivered == 0) step();
      first = second = {};
      if (delivered > 0) return std::exchange(delivered, 0);
    }
  }

  bool has_spill() const { return spill_taken < spill.size(); }

  std::size_t take_spill(std::span<std::byte> into, std::span<std::byte> then) {
    std::string_view left = std::string_view(spill).substr(spill_taken);
    const std::size_t count = move_bytes(left, into) + move_bytes(left, then);
    spill_taken += count;
    if (!has_spill()) {
      spill.clear();
      spill_taken = 0;
    }
    return count;
  }

  // libcurl hands over up to 16 kB. A piece that does not fit is kept here; the next one waits in libcurl.
  static std::size_t take_body(char* data, std::size_t, std::size_t size, void* self) {
    auto& to = *static_cast<Transfer*>(self);
    if (to.has_spill()) {
      to.is_paused = true;
      return CURL_WRITEFUNC_PAUSE;
    }
    to.has_body = true;
    std::string_view piece(data, size);
    to.delivered += move_bytes(piece, to.first);
    to.delivered += move_bytes(piece, to.second);
    to.spill.append(piece);
    return size;
  }

  // Redirects, challenges and proxies answer before: only the last head counts.
  static std::size_t take_header(char* data, std::size_t, std::size_t size, void* self) {
    auto& challenges = static_cast<Transfer*>(self)->head.www_authenticate;
    const std::string_view line(data, size);
    constexpr std::string_view name = "WWW-Authenticate:";
    if (line.starts_with("HTTP/")) challenges.clear();
    if (base::starts_ignoring_case(line, name) && challenges.size() < challenges_max) {
      challenges.emplace_back(base::trimmed(line.substr(name.size())));
    }
    return size;
  }

  void read_head() {
    curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &head.status);
    curl.easy_getinfo(easy, CURLINFO_HTTPAUTH_AVAIL, &head.auth_methods);
    curl_off_t wait = 0;
    curl.easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
    if (wait > 0) head.retry_after = std::chrono::seconds(wait);
    const char* text = nullptr;
    curl.easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &text);
    head.effective_url = text == nullptr ? "" : text;
    text = nullptr;
    curl.easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &text);
    std::string_view type = text == nullptr ? "" : text;
    for (const char c : base::trimmed(type.substr(0, type.find(';')))) head.content_type += base::to_lower(c);
  }

  void check(CURLMcode code) const {
    if (code != CURLM_OK) throw Error(ErrorCode::io, std::string("libcurl: ") + curl.multi_strerror(code));
  }
  void check(CURLcode code) const {
    if (code != CURLE_OK) throw Error(ErrorCode::remote, describe(code));
  }

  std::string describe(CURLcode code) const {
    const std::string_view words = base::trimmed({error_text, ::strnlen(error_text, sizeof error_text)});
    return words.empty() ? curl.easy_strerror(code) : std::string(words);
  }

  void throw_if_failed() {
    if (result == CURLE_OK) return;
    const CURLcode code = std::exchange(result, CURLE_OK);
    if (may_pass(code)) throw TransientError(describe(code));
    throw Error(ErrorCode::remote, describe(code));
  }

  bool may_pass(CURLcode code) {
    long proxy_status = 0;
    curl.easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
    if (proxy_status >= 400 && proxy_status < 500) return false;
    switch (code) {
      case CURLE_COULDNT_CONNECT:
      case CURLE_OPERATION_TIMEDOUT:
      case CURLE_GOT_NOTHING:
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
      case CURLE_PARTIAL_FILE:
      case CURLE_HTTP2:
      case CURLE_HTTP2_STREAM:
        return true;
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
        // libcurl does not say whether the name is unknown or the name server was silent.
        return resolve(options.host_for(code), "80", AddressFamily::any, cancel).is_temporary_failure();
      default:
        return false;
    }
  }

  const LibCurl& curl = LibCurl::get();
  CurlOptions options;
  CURL* easy;
  CURLM* multi;
  const base::Cancellation& cancel;
  char error_text[CURL_ERROR_SIZE] = {};

  HttpHead head;
  bool is_running = false;  // the handle is in `multi`
  bool is_done = false;
  bool is_paused = false;
  bool has_body = false;
  CURLcode result = CURLE_OK;

  std::span<std::byte> first, second;  // where the next bytes go
  std::size_t delivered = 0;           // into these two
  std::string spill;                   // the end of a piece that did not fit
  std::size_t spill_taken = 0;
};

HttpClient::HttpClient(const HttpSettings& settings, const base::Cancellation& cancel)
    : transfer_(std::make_unique<Transfer>(settings, cancel)) {}

HttpClient::~HttpClient() = default;

void HttpClient::set_login(const std::optional<HttpLogin>& login) {
  transfer_->options.set_login(login);
}

void HttpClient::set_proxy(const std::string& address, const std::optional<HttpLogin>& login) {
  transfer_->options.set_proxy(address, login);
}

void HttpClient::set_key_password(const std::string& password) {
  transfer_->options.set(CURLOPT_KEYPASSWD, password.c_str());
}

void HttpClient::set_family(AddressFamily family) {
  transfer_->options.set_family(family);
}

HttpHead HttpClient::start(const HttpRequest& request) {
  drain();
  Transfer& transfer = *transfer_;
  transfer.begin(request);
  while (!transfer.has_body && !transfer.is_done) transfer.step();
  if (!transfer.has_body) {
    transfer.end();
    transfer.throw_if_failed();
  }
  transfer.read_head();
  return transfer.head;
}

std::size_t HttpClient::read(std::span<std::byte> first, std::span<std::byte> second) {
  return transfer_->read(first, second);
}

std::string HttpClient::read_rest(std::size_t bytes_max) {
  std::string rest;
  std::byte piece[4096];
  while (rest.size() < bytes_max) {
    const std::size_t got = read(piece, {});
    if (got == 0) break;
    rest.append(base::as_text({piece, std::min(got, bytes_max - rest.size())}));
  }
  return rest;
}

void HttpClient::abandon() {
  transfer_->end();
}

// Reads a response to its end if that is near, so that its connection can be used again.
void HttpClient::drain() {
  if (!transfer_->is_running) return;
  try {
    read_rest(drained_bytes_max);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    // The connection broke after all that mattered.
  }
  transfer_->end();
}

}  // namespace pfetch::transport
