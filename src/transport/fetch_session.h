// One conversation with a server that has objects for us: handshake → refs → request → pack → finish.
//
// Owns the connection. Over a network, trouble before the first byte of the pack makes it begin anew, as often as
// transport/retry allows and says, and proposals are then made from the first one; after that byte it ends the session.
// One thread at a time; the pack may be read by another thread than the one that made the request, one after the other.
// Errors as in transport/handshake and transport/fetch_request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "transport/connect_options.h"
#include "transport/connection.h"
#include "transport/fetch_request.h"
#include "transport/handshake.h"
#include "transport/sideband.h"
#include "transport/url.h"

namespace pfetch::transport {

struct FetchSessionOptions {
  std::string agent = "pfetch/" PFETCH_VERSION;
  std::vector<std::string> server_options;  // need protocol v2
  RemoteMessage message;                    // the server's words before the pack and while it makes it
  base::PacketHook packet_hook;             // GIT_TRACE_PACKET (transport/packet_trace)
};

class FetchSession {
 public:
  // Performs the handshake. Without `retries` nothing is tried twice.
  FetchSession(std::unique_ptr<Connection> connection, FetchSessionOptions options,
               std::shared_ptr<Retries> retries = {});
  // Connects to `url` first. `cancel` must outlive the session.
  static std::unique_ptr<FetchSession> open(const Url& url, const ConnectOptions& options, FetchSessionOptions session,
                                            const base::Cancellation& cancel);
  ~FetchSession();
  FetchSession(const FetchSession&) = delete;
  FetchSession& operator=(const FetchSession&) = delete;

  ProtocolVersion version() const { return greeting_.version; }
  const Capabilities& capabilities() const { return greeting_.capabilities; }
  // The server's own boundary where it is told with the refs (v0, v1); with v2 it comes in the FetchResponse.
  const std::vector<Oid>& server_shallow() const { return greeting_.shallow; }

  // The refs whose names begin with one of `prefixes` ("HEAD", "refs/heads/" …); all of them without any.
  RemoteRefs refs(const std::vector<std::string>& prefixes);

  // Asks for objects; then pack() delivers. At least one want. Over a network it returns when the first byte of the
  // pack is there: what a server says before that goes to `message`. With v2 another request may follow once the pack
  // was read to its end; v0 and v1 take one only (ErrorCode::usage), a second needs a new session.
  FetchResponse request(const FetchRequest& request);
  bool takes_another_request() const { return version() == ProtocolVersion::v2 || !pack_; }
  // Valid after request(), until the next one.
  PackStream& pack() { return *pack_; }

  std::uint64_t bytes_sent() const { return connection_->bytes_sent(); }

  // Ends the conversation in good order and throws ErrorCode::remote if the other side reports a failure. Without it
  // the destructor ends the other side by force.
  void finish();

 private:
  // Runs `step`; begins the conversation anew and runs it again when it failed and another try may help.
  template <class Step>
  auto persistently(Step step);
  void greet();
  FetchResponse request_once(const FetchRequest& request);
  void say_goodbye();  // once, and only to a server that waits for more

  std::unique_ptr<Connection> connection_;
  std::shared_ptr<Retries> retries_;
  CommandContext context_;
  std::optional<base::PacketReader> reader_;
  Greeting greeting_;
  std::unique_ptr<PackStream> pack_;
  bool said_goodbye_ = false;
};

}  // namespace pfetch::transport
