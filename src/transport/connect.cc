#include "transport/connect.h"

#include "base/error.h"
#include "base/process.h"
#include "transport/http_connection.h"
#include "transport/process_connection.h"
#include "transport/tcp_connection.h"

namespace pfetch::transport {

std::optional<std::string> ConnectOptions::variable(const std::string& name) const {
  return environment ? environment(name) : base::environment_variable(name);
}

std::unique_ptr<Connection> connect(const Url& url, const ConnectOptions& options, std::shared_ptr<Retries> retries,
                                    const base::Cancellation& cancel) {
  switch (url.scheme) {
    case Scheme::path:
    case Scheme::file:
    case Scheme::ssh:
      return connect_process(url, options, cancel);
    case Scheme::git:
      return connect_tcp(url, options, cancel);
    case Scheme::http:
      return connect_http(url, options, std::move(retries), cancel);
    case Scheme::external:
      break;
  }
  throw Error(ErrorCode::unsupported,
              "Unable to find remote helper for '" + url.protocol +
                  "': pfetch runs no remote helpers; use a path, file://, ssh://, git://, http:// or https://");
}

}  // namespace pfetch::transport
