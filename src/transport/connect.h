// From a URL to a connection: the one place that knows which room serves which scheme.
#pragma once

#include <memory>

#include "base/cancel.h"
#include "transport/connect_options.h"
#include "transport/connection.h"
#include "transport/url.h"

namespace pfetch::transport {

// Opens the connection; the first bytes of it are the greeting (transport/handshake). `cancel` must outlive it.
// `retries` is what the whole conversation may spend on trying again; http uses it for each of its requests. Throws
// TransientError where another try may help, ErrorCode::unsupported for a scheme that is not built.
std::unique_ptr<Connection> connect(const Url& url, const ConnectOptions& options, std::shared_ptr<Retries> retries,
                                    const base::Cancellation& cancel);

}  // namespace pfetch::transport
