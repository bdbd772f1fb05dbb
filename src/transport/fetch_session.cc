#include "transport/fetch_session.h"

#include <utility>

#include "base/error.h"

namespace pfetch::transport {

FetchSession::FetchSession(std::unique_ptr<Connection> connection, FetchSessionOptions options)
    : connection_(std::move(connection)),
      message_(std::move(options.message)),
      context_{std::move(options.agent), std::move(options.server_options), options.packet_hook},
      reader_(static_cast<base::ScatterSource&>(*connection_), std::move(options.packet_hook)),
      greeting_(read_greeting(reader_)) {
  if (version() != ProtocolVersion::v2 && !context_.server_options.empty()) {
    throw Error(ErrorCode::refused, "server options require protocol version 2 or later");
  }
}

std::unique_ptr<FetchSession> FetchSession::open(const Url& url, const ConnectOptions& connect,
                                                 FetchSessionOptions options, const base::Cancellation& cancel) {
  return std::make_unique<FetchSession>(connect_process(url, connect, cancel), std::move(options));
}

RemoteRefs FetchSession::refs(const std::vector<std::string>& prefixes) {
  if (version() != ProtocolVersion::v2) return filtered_refs(greeting_.refs, prefixes);
  return ls_refs(*connection_, reader_, greeting_, context_, prefixes);
}

FetchResponse FetchSession::request(const FetchRequest& request) {
  if (request.wants.empty() && request.want_refs.empty()) {
    throw Error(ErrorCode::usage, "a fetch must want at least one object");
  }
  if (!takes_another_request() || (pack_ && !pack_->ended())) {
    throw Error(ErrorCode::usage, "this connection takes no further request");
  }
  const bool is_v2 = version() == ProtocolVersion::v2;
  FetchResponse response = is_v2 ? request_v2(*connection_, reader_, greeting_, context_, request)
                                 : request_v0(*connection_, reader_, greeting_, context_, request);
  pack_ = std::make_unique<PackStream>(reader_, response.has_sideband, message_);
  return response;
}

FetchSession::~FetchSession() {
  try {
    say_goodbye();
  } catch (const Error&) {
    // The work has failed or was cancelled already; the connection ends the other side by force.
  }
}

void FetchSession::say_goodbye() {
  // A v2 server waits for another command; a v0 server that was asked for nothing waits for wants.
  const bool is_awaited = version() == ProtocolVersion::v2 ? !connection_->stateless() : !pack_;
  if (!is_awaited || std::exchange(said_goodbye_, true)) return;
  base::PacketWriter writer(context_.packet_hook);
  writer.flush();
  connection_->write(writer.bytes());
}

void FetchSession::finish() {
  say_goodbye();
  connection_->finish();
}

}  // namespace pfetch::transport
