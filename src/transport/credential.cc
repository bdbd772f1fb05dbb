#include "transport/credential.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>

#include "base/ascii.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/process.h"
#include "base/sigpipe.h"
#include "transport/sideband.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t output_bytes_max = std::size_t{1} << 20;

void add_line(std::string& lines, std::string_view name, std::string_view value) {
  if (value.find_first_of(std::string_view("\0\r\n", 3)) != std::string_view::npos) {
    throw Error(ErrorCode::refused, "credential value for " + std::string(name) + " contains a line end");
  }
  lines.append(name).append("=").append(value).append("\n");
}

// What a child says on stdout and stderr, taken at the same time until both end.
class Talk {
 public:
  Talk(base::Process& child, const std::function<void(std::string_view)>& warn, const base::Cancellation& cancel)
      : child_(child), warn_(warn), cancel_(cancel) {}

  void listen() {
    while (child_.out || child_.err) {
      pollfd polled[3] = {{child_.out ? child_.out.get() : -1, POLLIN, 0},
                          {child_.err ? child_.err.get() : -1, POLLIN, 0},
                          {cancel_.fd(), POLLIN, 0}};
      if (::poll(polled, 3, -1) < 0 && errno != EINTR) throw_errno(errno, "could not wait for", "git credential");
      cancel_.throw_if_requested();
      if (polled[0].revents != 0) take(child_.out, output_);
      if (polled[1].revents != 0) {
        take(child_.err, words_);
        tell_lines();
      }
    }
    if (!words_.empty()) words_ += '\n';
    tell_lines();
  }

  const std::string& output() const { return output_; }
  const std::string& fatal() const { return fatal_; }

 private:
  static void take(base::UniqueFd& fd, std::string& into) {
    std::byte buffer[4096];
    const std::size_t got = base::read_some(fd.get(), buffer, "git credential");
    if (got == 0 || into.size() > output_bytes_max) return fd.reset();
    into.append(base::as_text({buffer, got}));
  }

  // Git's last words become ours; what else a helper says is passed on.
  void tell_lines() {
    for (auto end = words_.find('\n'); end != std::string::npos; end = words_.find('\n')) {
      const std::string line = cleaned(std::string_view(words_).substr(0, end));
      words_.erase(0, end + 1);
      if (line.starts_with("fatal: ")) {
        fatal_ = line.substr(7);
      } else if (warn_ && !line.empty()) {
        warn_(line);
      }
    }
  }

  base::Process& child_;
  const std::function<void(std::string_view)>& warn_;
  const base::Cancellation& cancel_;
  std::string output_, words_, fatal_;
};

}  // namespace

Credential credential_of(const HttpUrl& url) {
  Credential credential;
  credential.protocol = url.scheme;
  credential.host = url.authority();
  credential.path = percent_decoded(url.path.starts_with('/') ? url.path.substr(1) : url.path);
  while (credential.path.ends_with('/')) credential.path.pop_back();
  credential.username = url.user;
  credential.password = url.password;
  return credential;
}

std::string credential_lines(const Credential& credential) {
  std::string lines = "capability[]=authtype\ncapability[]=state\n";
  add_line(lines, "protocol", credential.protocol);
  if (!credential.host.empty()) add_line(lines, "host", credential.host);
  if (!credential.path.empty()) add_line(lines, "path", credential.path);
  if (credential.username) add_line(lines, "username", *credential.username);
  if (credential.password) add_line(lines, "password", *credential.password);
  if (!credential.expiry.empty()) add_line(lines, "password_expiry_utc", credential.expiry);
  if (!credential.auth_type.empty()) add_line(lines, "authtype", credential.auth_type);
  if (!credential.token.empty()) add_line(lines, "credential", credential.token);
  if (credential.ephemeral) add_line(lines, "ephemeral", "1");
  for (const std::string& header : credential.www_auth) add_line(lines, "wwwauth[]", header);
  for (const std::string& state : credential.state) add_line(lines, "state[]", state);
  return lines + "\n";
}

void read_credential_lines(std::string_view lines, Credential& credential) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    if (name == "username") credential.username = value;
    if (name == "password") credential.password = value;
    if (name == "authtype") credential.auth_type = value;
    if (name == "credential") credential.token = value;
    if (name == "password_expiry_utc") credential.expiry = value;
    if (name == "ephemeral") credential.ephemeral = value == "1" || value == "true";
    if (name == "state[]") credential.state.push_back(value);
  }
}

std::string CredentialHelper::run(const char* action, const Credential& credential) {
  const std::string lines = credential_lines(credential);
  base::ProcessOptions process;
  process.argv = {"git", "credential", action};
  process.environment = options_.environment;
  process.in = process.out = process.err = base::ProcessOptions::Stream::pipe;
  base::Process child = base::Process::start(process);
  base::write_to_reader(child.in.get(), lines, "git credential");  // far less than a pipe holds
  child.in.reset();
  Talk talk(child, options_.warn, cancel_);
  talk.listen();
  if (child.wait() != 0) {
    throw Error(ErrorCode::remote,
                talk.fatal().empty() ? "could not get a user name and password from git credential" : talk.fatal());
  }
  return talk.output();
}

void CredentialHelper::fill(Credential& credential) {
  struct Asking {
    const std::function<void(bool)>& tell;
    explicit Asking(const std::function<void(bool)>& to) : tell(to) {
      if (tell) tell(true);
    }
    ~Asking() {
      if (tell) tell(false);
    }
  };
  const Asking asking(options_.asking);
  const std::string answer = run("fill", credential);
  credential.state.clear();
  read_credential_lines(answer, credential);
}

void CredentialHelper::tell(const char* action, const Credential& credential) {
  try {
    run(action, credential);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
  }
}

}  // namespace pfetch::transport
