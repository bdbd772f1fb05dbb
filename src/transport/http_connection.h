// http:// and https://: the smart protocol, each request one exchange (gitprotocol-http, gitprotocol-v2 "HTTP
// Transport").
//
// Connecting asks for "info/refs?service=git-upload-pack"; each write() is then one POST of its own, and reads give the
// body of the answer, 0 at its end. Redirects, authentication, proxies and messages are Git's; a server that speaks
// only the "dumb" protocol is refused. A request that met a busy server or a failing network, and of whose answer
// nothing was read, is made again as `retries` allows. User names and passwords are in no message.
#pragma once

#include <memory>

#include "base/cancel.h"
#include "transport/connect_options.h"
#include "transport/connection.h"
#include "transport/retry.h"
#include "transport/url.h"

namespace pfetch::transport {

// Request bodies over this are compressed, as Git's are.
inline constexpr std::size_t gzip_bytes_min = 1024;

// `cancel` must outlive the connection.
std::unique_ptr<Connection> connect_http(const Url& url, const ConnectOptions& options,
                                         std::shared_ptr<Retries> retries, const base::Cancellation& cancel);

}  // namespace pfetch::transport
