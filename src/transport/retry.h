// Trying again when the network, or a busy server, failed for a moment.
//
// Whoever meets such trouble throws TransientError; whoever can start over catches it and asks Retries. What one
// conversation may spend is bounded: `tries_max` in all, a wait of at most `wait_max` each. One thread at a time; the
// waits end at once, with ErrorCode::cancelled, when the Cancellation is requested.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/error.h"

namespace pfetch::transport {

// An error that another try may not meet: a refused or reset connection, a name server that does not answer, a server
// that says it is busy.
class TransientError : public Error {
 public:
  explicit TransientError(std::string message, std::optional<std::chrono::seconds> retry_after = {},
                          ErrorCode code = ErrorCode::remote)
      : Error(code, std::move(message)), retry_after_(retry_after) {}
  // When the server wants to be asked again, if it said so.
  std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }

 private:
  std::optional<std::chrono::seconds> retry_after_;
};

struct RetryOptions {
  int tries_max = 3;                                // the first one included
  std::chrono::seconds first_wait{1};               // doubled each time
  std::chrono::seconds wait_max{300};               // a server that wants us to wait longer is not waited for
  std::function<void(std::string_view text)> warn;  // is told why and how long
};

class Retries {
 public:
  // `cancel` must outlive it.
  Retries(RetryOptions options, const base::Cancellation& cancel) : options_(std::move(options)), cancel_(cancel) {}

  // Waits and returns true, or returns false at once: no try is left, or the server asks for more than `wait_max`.
  bool wait_for_another(const Error& error);

 private:
  RetryOptions options_;
  const base::Cancellation& cancel_;
  int failures_ = 0;
};

}  // namespace pfetch::transport
