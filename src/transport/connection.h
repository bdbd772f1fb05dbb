// A conversation with the other side: bytes from it, bytes to it, and its end.
//
// Implemented by process_connection (local and ssh), tcp_connection (git://) and http_connection. One thread at a time,
// except that a Cancellation given at construction may be requested from any thread and then ends every wait with
// ErrorCode::cancelled. A wait blocks in poll(2): it costs nothing while the other side is silent.
#pragma once

#include "base/pkt_line.h"

namespace pfetch::transport {

// What messages call it.
inline constexpr std::string_view other_side = "the other side";

class Connection : public base::ScatterSource {
 public:
  // Sends all of `bytes`. Each whole request is sent by one call, so that a stateless connection can make it one
  // exchange. When the other side has closed already nothing is thrown: why it did is found by reading.
  virtual void write(base::Bytes bytes) = 0;
  // Says that nothing more will be sent, waits for the other side to end, and throws ErrorCode::remote if it reports a
  // failure. What it still sends is thrown away. Not called: the destructor ends the other side by force.
  virtual void finish() = 0;
  // Whether every request stands alone (http): nothing is remembered between two of them.
  virtual bool stateless() const { return false; }
  // Over a network: whether this conversation broke in a way that another try may not meet. Meaningful after an error.
  virtual bool lost() const { return false; }
  // Whether the conversation can begin anew on this object, and doing so: the next bytes are a greeting again. Throws
  // TransientError as the connecting did.
  virtual bool restarts() const { return false; }
  virtual void restart() {}
  // Bytes handed to `write` so far.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 protected:
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace pfetch::transport
