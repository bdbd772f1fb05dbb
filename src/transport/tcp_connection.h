// git://: a plain TCP connection to a `git daemon` (gitprotocol-pack, "Git Transport").
//
// The request names the service, the path, the host as the URL has it (or GIT_OVERRIDE_VIRTUAL_HOST) and, for versions
// over 0, "version=<n>". core.gitProxy and GIT_PROXY_COMMAND put a program in between, as in Git. What a daemon refuses
// comes as an ERR packet, which transport/handshake throws. Messages are Git's. Throws TransientError when the host
// cannot be reached or its name not be looked up for the moment.
#pragma once

#include <memory>
#include <string>

#include "base/cancel.h"
#include "transport/connect_options.h"
#include "transport/connection.h"
#include "transport/url.h"

namespace pfetch::transport {

inline constexpr const char* git_port = "9418";

// Connects and sends the request. `cancel` must outlive the connection.
std::unique_ptr<Connection> connect_tcp(const Url& url, const ConnectOptions& options,
                                        const base::Cancellation& cancel);

// The request as one packet. Throws ErrorCode::refused for a newline in host or path.
std::string daemon_request(const Url& url, const ConnectOptions& options);

// The program that core.gitProxy (or GIT_PROXY_COMMAND) names for `host`; empty: none.
std::string proxy_command(const std::string& host, const ConnectOptions& options);

// "host", "host:port", "[v6]", "[v6]:port" taken apart; the port defaults to 9418, brackets are taken off.
struct HostPort {
  std::string host;
  std::string port;
};
HostPort split_host_port(const std::string& authority);

}  // namespace pfetch::transport
