#include "transport/resolve.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/error.h"

namespace pfetch::transport {

namespace {

// Shared by the one who asks and the thread that looks up; whoever is last frees it.
struct Lookup {
  std::string host, port;
  addrinfo hints{};
  base::UniqueFd done;
  Resolved result;  // written by the thread before `finished`, read afterwards
  std::atomic<bool> finished{false};

  void run() {
    addrinfo* list = nullptr;
    result.error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
    if (result.error == 0) {
      result.addresses.reset(list);
    } else {
      result.error_text = result.error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(result.error);
    }
    finished.store(true, std::memory_order_release);
    ::eventfd_write(done.get(), 1);
  }
};

}  // namespace

Resolved resolve(const std::string& host, const std::string& port, AddressFamily family,
                 const base::Cancellation& cancel) {
  auto lookup = std::make_shared<Lookup>();
  lookup->host = host;
  lookup->port = port;
  lookup->hints.ai_socktype = SOCK_STREAM;
  lookup->hints.ai_protocol = IPPROTO_TCP;
  lookup->hints.ai_family = family == AddressFamily::ipv4 ? AF_INET : family == AddressFamily::ipv6 ? AF_INET6 : 0;
  lookup->done.reset(::eventfd(0, EFD_CLOEXEC));
  if (!lookup->done) throw_errno(errno, "could not create", "eventfd");
  std::thread([lookup] { lookup->run(); }).detach();
  base::wait_readable(lookup->done.get(), cancel);
  lookup->finished.wait(false, std::memory_order_acquire);  // true by now; it orders what the thread wrote before it
  return std::move(lookup->result);
}

}  // namespace pfetch::transport
