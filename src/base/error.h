// The one exception type of pfetch.
//
// Broken input, I/O and protocol trouble throw `pfetch::Error`: a short code for programs, a message a user can act
// on, and context added on the way up (which URL, ref, object, path). Expected per-item trouble (a ref rejected, a path
// collided) is data in a result, never an exception. The library neither prints nor exits; `cli` turns an Error into
// "fatal: <message>" and an exit code.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace pfetch {

enum class ErrorCode {
  usage,        // what was asked for makes no sense: a URL without a path, a bad refspec
  not_found,    // a repository, ref, object or file is not there
  exists,       // something stands where we wanted to create
  io,           // the operating system said no (errno in the message)
  protocol,     // the other side said something that is not the protocol
  remote,       // the other side refused, in its own words
  corrupt,      // stored or received data is damaged
  refused,      // a policy (ours or configured) says no
  unsupported,  // known to Git, not built here
  cancelled,    // a signal or another failure stopped the work
  config,       // a configuration value cannot be used
};

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  // Puts `context` and ": " before the message; returns *this so that `throw` can follow at once.
  Error& add_context(std::string_view context);

 private:
  ErrorCode code_;
  std::string message_;
};

// Throws ErrorCode::io (not_found for ENOENT, exists for EEXIST) with "<what> '<path>': <text of errno>".
[[noreturn]] void throw_errno(int error_number, std::string_view what, std::string_view path);

}  // namespace pfetch
