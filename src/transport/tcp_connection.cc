#include "transport/tcp_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/pkt_line.h"
#include "base/stream_io.h"
#include "transport/process_connection.h"
#include "transport/resolve.h"

namespace pfetch::transport {

namespace {

// The error with which a connection attempt ended; 0: it is open.
int finish_connecting(int fd, const base::Cancellation& cancel) {
  base::wait_writable(fd, cancel);
  int error_number = 0;
  socklen_t size = sizeof error_number;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error_number, &size) != 0) return errno;
  return error_number;
}

std::string numeric_address(const addrinfo& address) {
  char text[NI_MAXHOST];
  const int failed = ::getnameinfo(address.ai_addr, address.ai_addrlen, text, sizeof text, nullptr, 0,
                                   NI_NUMERICHOST | NI_NUMERICSERV);
  return failed == 0 ? text : "(unknown)";
}

// Tries the addresses in turn, as Git does; throws with what became of each of them.
base::UniqueFd open_socket(const HostPort& where, AddressFamily family, const base::Cancellation& cancel) {
  const Resolved resolved = resolve(where.host, where.port, family, cancel);
  if (!resolved.addresses) {
    const std::string message =
        "unable to look up " + where.host + " (port " + where.port + ") (" + resolved.error_text + ")";
    if (resolved.is_temporary_failure()) throw TransientError(message);
    throw Error(ErrorCode::remote, message);
  }
  std::string failures;
  int number = 0;
  for (const addrinfo* address = resolved.addresses.get(); address != nullptr; address = address->ai_next, ++number) {
    base::UniqueFd fd(
        ::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address->ai_protocol));
    int error_number = fd && ::connect(fd.get(), address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (fd && error_number == EINPROGRESS) error_number = finish_connecting(fd.get(), cancel);
    if (fd && error_number == 0) return fd;
    failures += where.host + "[" + std::to_string(number) + ": " + numeric_address(*address) +
                "]: errno=" + std::strerror(error_number) + "\n";
  }
  throw TransientError("unable to connect to " + where.host + ":\n" + failures);
}

class TcpConnection : public Connection {
 public:
  TcpConnection(HostPort where, AddressFamily family, std::string request, const base::Cancellation& cancel)
      : where_(std::move(where)), family_(family), request_(std::move(request)), cancel_(cancel) {
    TcpConnection::restart();
  }

  std::size_t read(std::span<std::byte> into) override { return read_scattered(into, {}); }

  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte> second) override {
    try {
      const std::size_t got = base::read_stream(socket_.get(), first, second, cancel_, other_side);
      lost_ = got == 0;
      return got;
    } catch (const Error& error) {
      lost_ = error.code() != ErrorCode::cancelled;
      throw;
    }
  }

  void write(base::Bytes bytes) override {
    bytes_sent_ += base::write_stream(socket_.get(), bytes, cancel_, other_side);
  }

  // There is nothing to wait for: the daemon has no last word.
  void finish() override { socket_.reset(); }

  bool lost() const override { return lost_; }
  bool restarts() const override { return true; }
  void restart() override {
    lost_ = false;
    socket_ = open_socket(where_, family_, cancel_);
    // A daemon that vanished without a word shall be noticed one day.
    const int on = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    write(base::as_bytes(request_));
  }

 private:
  const HostPort where_;
  const AddressFamily family_;
  const std::string request_;
  const base::Cancellation& cancel_;
  base::UniqueFd socket_;
  bool lost_ = false;
};

// "<command> for <domain>": whether the rule speaks of `host`; `command` gets the part before.
bool rule_matches(const std::string& rule, const std::string& host, std::string& command) {
  const auto space = rule.find(" for ");
  command = rule.substr(0, space);
  if (space == std::string::npos) return true;
  const std::string domain = rule.substr(space + 5);
  if (!host.ends_with(domain)) return false;
  return host.size() == domain.size() || domain.starts_with('.') || host[host.size() - domain.size() - 1] == '.';
}

std::unique_ptr<Connection> connect_through(const std::string& command, const HostPort& where,
                                            const std::string& request, const base::Cancellation& cancel) {
  base::ProcessOptions process;
  process.argv = {command, where.host, where.port};
  process.in = process.out = base::ProcessOptions::Stream::pipe;
  process.err = base::ProcessOptions::Stream::inherit;
  auto connection = connection_over(base::Process::start(process), cancel);
  connection->write(base::as_bytes(request));
  return connection;
}

}  // namespace

HostPort split_host_port(const std::string& authority) {
  HostPort parts{authority, git_port};
  std::string after;
  if (authority.starts_with('[') && authority.find(']') != std::string::npos) {
    const auto close = authority.find(']');
    parts.host = authority.substr(1, close - 1);
    after = authority.substr(close + 1);
  } else if (const auto colon = authority.find(':'); colon != std::string::npos) {
    parts.host = authority.substr(0, colon);
    after = authority.substr(colon);
  }
  if (after.size() > 1 && after[0] == ':') parts.port = after.substr(1);
  return parts;
}

std::string proxy_command(const std::string& host, const ConnectOptions& options) {
  if (const auto named = options.variable("GIT_PROXY_COMMAND")) return *named;
  for (const std::string& rule : options.git_proxies) {
    std::string command;
    if (!rule_matches(rule, host, command)) continue;
    return command == "none" ? std::string() : command;
  }
  return {};
}

std::string daemon_request(const Url& url, const ConnectOptions& options) {
  if ((url.user_host + url.path).find('\n') != std::string::npos) {
    throw Error(ErrorCode::refused, "newline is forbidden in git:// hosts and repo paths");
  }
  if (url.user_host.find('@') != std::string::npos) {
    throw Error(ErrorCode::refused,
                "git:// has no users: take the user name out of '" + without_user_info(url.text) + "'");
  }
  std::string payload = options.service + " " + url.path;
  payload += '\0';
  payload += "host=" + options.variable("GIT_OVERRIDE_VIRTUAL_HOST").value_or(url.user_host);
  payload += '\0';
  if (options.protocol_version > 0) {
    payload += '\0';
    payload += "version=" + std::to_string(options.protocol_version);
    payload += '\0';
  }
  base::PacketWriter writer;
  writer.data(payload);
  return std::string(base::as_text(writer.bytes()));
}

std::unique_ptr<Connection> connect_tcp(const Url& url, const ConnectOptions& options,
                                        const base::Cancellation& cancel) {
  const std::string request = daemon_request(url, options);
  HostPort where = split_host_port(url.user_host);
  const std::string proxy = proxy_command(where.host, options);
  if (!proxy.empty()) return connect_through(proxy, where, request, cancel);
  return std::make_unique<TcpConnection>(std::move(where), options.family, request, cancel);
}

}  // namespace pfetch::transport
