// From a URL and the configuration to a connection: url.*.insteadOf, protocol.allow, protocol.version, the settings of
// ssh, git:// and http.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "repo/config.h"
#include "repo/environment.h"
#include "session/reporter.h"
#include "transport/fetch_session.h"
#include "transport/packet_trace.h"

namespace pfetch::session {

struct RemoteSettings {
  transport::Url url;  // after insteadOf
  transport::ConnectOptions connect;
  transport::FetchSessionOptions fetch;
  std::shared_ptr<transport::PacketTrace> packets;  // keeps the trace's file open
};

struct RemoteRequest {
  std::string url;
  std::string service = "git-upload-pack";
  std::vector<std::string> server_options;
  std::string remote = "origin";  // its remote.<name>.proxy counts
  std::string program = "clone";  // named in GIT_TRACE_PACKET
  int ip_version = 0;             // 4 or 6; 0: any
};

// Throws ErrorCode::refused when the protocol is not allowed, ErrorCode::config for values that cannot be used.
// `environment` is what child processes shall see of our own settings. `reporter` must outlive what is made of them.
RemoteSettings remote_settings(const RemoteRequest& request, const repo::Config& config,
                               const repo::Environment& environment, Reporter& reporter);

// Opens the conversation. A server that refuses is shown in its own words.
std::unique_ptr<transport::FetchSession> open_session(const RemoteSettings& settings, const base::Cancellation& cancel);

}  // namespace pfetch::session
