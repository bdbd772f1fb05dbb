#include "transport/fetch_session.h"

#include <utility>

#include "base/error.h"
#include "transport/connect.h"

namespace pfetch::transport {

FetchSession::FetchSession(std::unique_ptr<Connection> connection, FetchSessionOptions options,
                           std::shared_ptr<Retries> retries)
    : connection_(std::move(connection)),
      retries_(std::move(retries)),
      context_{std::move(options.agent), std::move(options.server_options), std::move(options.packet_hook),
               std::move(options.message)} {
  greet();
}

std::unique_ptr<FetchSession> FetchSession::open(const Url& url, const ConnectOptions& options,
                                                 FetchSessionOptions session, const base::Cancellation& cancel) {
  RetryOptions retry = options.retry;
  retry.warn = options.warn;
  const auto retries = std::make_shared<Retries>(std::move(retry), cancel);
  for (;;) {
    std::unique_ptr<Connection> connection;
    try {
      connection = connect(url, options, retries, cancel);
      return std::make_unique<FetchSession>(std::move(connection), session, retries);
    } catch (const TransientError& error) {
      if (!retries->wait_for_another(error)) throw;
    }
  }
}

void FetchSession::greet() {
  pack_.reset();  // it reads from the reader before
  reader_.emplace(static_cast<base::ScatterSource&>(*connection_), context_.packet_hook);
  try {
    greeting_ = read_greeting(*reader_);
  } catch (const Error& error) {
    if (connection_->lost()) throw TransientError(error.message(), {}, error.code());
    throw;
  }
}

template <class Step>
auto FetchSession::persistently(Step step) {
  for (bool is_broken = false;;) {
    try {
      if (is_broken) {
        connection_->restart();
        greet();
      }
      return step();
    } catch (const Error& error) {
      const bool may_pass = connection_->lost() || dynamic_cast<const TransientError*>(&error) != nullptr;
      if (!may_pass || error.code() == ErrorCode::cancelled || !connection_->restarts() || !retries_) throw;
      if (!retries_->wait_for_another(error)) throw;
      is_broken = true;
    }
  }
}

RemoteRefs FetchSession::refs(const std::vector<std::string>& prefixes) {
  return persistently([&] {
    if (version() == ProtocolVersion::v2) return ls_refs(*connection_, *reader_, greeting_, context_, prefixes);
    refuse_server_options(context_);
    return filtered_refs(greeting_.refs, prefixes);
  });
}

FetchResponse FetchSession::request(const FetchRequest& request) {
  if (request.wants.empty() && request.want_refs.empty()) {
    throw Error(ErrorCode::usage, "a fetch must want at least one object");
  }
  if (!takes_another_request() || (pack_ && !pack_->ended())) {
    throw Error(ErrorCode::usage, "this connection takes no further request");
  }
  if (!connection_->restarts()) return request_once(request);
  return persistently([&, is_again = false]() mutable {
    if (std::exchange(is_again, true) && request.negotiator != nullptr) request.negotiator->restart();
    return request_once(request);
  });
}

FetchResponse FetchSession::request_once(const FetchRequest& request) {
  const bool is_v2 = version() == ProtocolVersion::v2;
  FetchResponse response = is_v2 ? request_v2(*connection_, *reader_, greeting_, context_, request)
                                 : request_v0(*connection_, *reader_, greeting_, context_, request);
  pack_ = std::make_unique<PackStream>(*reader_, response.has_sideband, context_.message);
  // As long as no byte of the pack has come another try is possible, which only this room can make.
  if (connection_->restarts()) pack_->await_first_byte();
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
  const bool is_awaited = !connection_->stateless() && (version() == ProtocolVersion::v2 || !pack_);
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
