// From a host's name to its addresses, with a wait that can be cancelled.
//
// getaddrinfo(3) can neither be interrupted nor polled, so it runs on a thread of its own; one that is no longer waited
// for ends by itself. Any thread.
#pragma once

#include <netdb.h>

#include <memory>
#include <string>

#include "base/cancel.h"
#include "transport/connect_options.h"

namespace pfetch::transport {

struct AddressListDeleter {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListDeleter>;

struct Resolved {
  AddressList addresses;  // in the system's order; null upon failure
  int error = 0;          // EAI_…; 0 upon success
  std::string error_text;

  // A name server did not answer: it may the next time.
  bool is_temporary_failure() const { return error == EAI_AGAIN; }
};

// Stream sockets of `host` (a name, or an address without brackets) and `port` (digits). Throws ErrorCode::cancelled.
Resolved resolve(const std::string& host, const std::string& port, AddressFamily family,
                 const base::Cancellation& cancel);

}  // namespace pfetch::transport
