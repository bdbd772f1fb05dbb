#include "transport/process_connection.h"

#include <strings.h>

#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/stream_io.h"
#include "repo/environment.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t drained_bytes_max = std::size_t{1} << 20;

class ProcessConnection : public Connection {
 public:
  ProcessConnection(base::Process child, const base::Cancellation& cancel) : cancel_(cancel), child_(std::move(child)) {
    base::make_streams(child_);
  }

  std::size_t read(std::span<std::byte> into) override { return read_scattered(into, {}); }

  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte> second) override {
    return base::read_stream(child_.out.get(), first, second, cancel_, other_side);
  }

  void write(base::Bytes bytes) override {
    if (!child_.in) return;
    const std::size_t sent = base::write_stream(child_.in.get(), bytes, cancel_, other_side);
    bytes_sent_ += sent;
    if (sent < bytes.size()) child_.in.reset();
  }

  void finish() override {
    if (!child_.running()) return;
    child_.in.reset();
    drain();
    child_.out.reset();
    const int status = base::wait_for_exit(child_, cancel_);
    if (status != 0) {
      throw Error(ErrorCode::remote, "remote transport reported error (exit status " + std::to_string(status) + ")");
    }
  }

 private:
  // A child that still has a word to say must not die of SIGPIPE; one that talks on and on may.
  void drain() {
    std::vector<std::byte> unwanted(std::size_t{64} << 10);
    for (std::size_t total = 0; total < drained_bytes_max;) {
      const std::size_t got = read(unwanted);
      if (got == 0) return;
      total += got;
    }
  }

  const base::Cancellation& cancel_;
  base::Process child_;
};

enum class SshVariant { detect, ssh, simple, plink, putty, tortoiseplink };

// The first word of a shell command, quotes taken off.
std::string first_word(std::string_view command) {
  std::string word;
  char quote = 0;
  const auto start = command.find_first_not_of(" \t\n");
  if (start == std::string_view::npos) return word;
  for (std::size_t i = start; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) break;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
    } else {
      word += c;
    }
  }
  return word;
}

SshVariant variant_by_name(const std::string& program) {
  std::string name = program.substr(program.find_last_of('/') + 1);
  if (name.size() > 4 && ::strcasecmp(name.c_str() + name.size() - 4, ".exe") == 0) name.resize(name.size() - 4);
  if (::strcasecmp(name.c_str(), "ssh") == 0) return SshVariant::ssh;
  if (::strcasecmp(name.c_str(), "plink") == 0) return SshVariant::plink;
  if (::strcasecmp(name.c_str(), "tortoiseplink") == 0) return SshVariant::tortoiseplink;
  return SshVariant::detect;
}

// GIT_SSH_VARIANT, ssh.variant, or the program's name. As in Git, a word that is not known means "ssh".
SshVariant choose_variant(const ConnectOptions& options, const std::string& program) {
  auto named = options.variable("GIT_SSH_VARIANT");
  if (!named) named = options.ssh_variant;
  if (!named || *named == "auto") return variant_by_name(program);
  if (*named == "simple") return SshVariant::simple;
  if (*named == "plink") return SshVariant::plink;
  if (*named == "putty") return SshVariant::putty;
  if (*named == "tortoiseplink") return SshVariant::tortoiseplink;
  return SshVariant::ssh;
}

// The options before the host, in the variant's dialect.
void add_ssh_options(SshVariant variant, const Url& url, const ConnectOptions& options, base::ProcessOptions& process) {
  const bool simple = variant == SshVariant::simple;
  if (variant == SshVariant::ssh && options.protocol_version > 0) {
    process.argv.insert(process.argv.end(), {"-o", "SendEnv=GIT_PROTOCOL"});
  }
  if (options.family != AddressFamily::any) {
    const std::string flag = options.family == AddressFamily::ipv4 ? "-4" : "-6";
    if (simple) throw Error(ErrorCode::unsupported, "ssh variant 'simple' does not support " + flag);
    process.argv.push_back(flag);
  }
  if (variant == SshVariant::tortoiseplink) process.argv.emplace_back("-batch");
  if (!url.port.empty()) {
    if (simple) throw Error(ErrorCode::unsupported, "ssh variant 'simple' does not support setting port");
    process.argv.emplace_back(variant == SshVariant::ssh ? "-p" : "-P");
    process.argv.push_back(url.port);
  }
}

// An OpenSSH prints its settings for `-G`; a program that fails at that is taken for the simplest kind.
SshVariant detect_variant(const Url& url, const ConnectOptions& options, base::ProcessOptions process) {
  process.argv.emplace_back("-G");
  add_ssh_options(SshVariant::ssh, url, options, process);
  process.argv.push_back(url.user_host);
  process.in = process.out = process.err = base::ProcessOptions::Stream::null;
  return base::Process::start(process).wait() == 0 ? SshVariant::ssh : SshVariant::simple;
}

void add_ssh_command(const Url& url, const ConnectOptions& options, base::ProcessOptions& process) {
  auto command = options.variable("GIT_SSH_COMMAND");
  if (!command) command = options.ssh_command;
  process.use_shell = command.has_value();
  const std::string program = command ? *command : options.variable("GIT_SSH").value_or("ssh");
  process.argv = {program};
  SshVariant variant = choose_variant(options, command ? first_word(program) : program);
  if (variant == SshVariant::detect) variant = detect_variant(url, options, process);
  add_ssh_options(variant, url, options, process);
  process.argv.push_back(url.user_host);
}

}  // namespace

base::ProcessOptions connect_command(const Url& url, const ConnectOptions& options) {
  base::ProcessOptions process;
  // What describes a repository on this side means nothing on the other.
  for (const std::string& name : repo::Environment::repository_variables()) {
    process.environment.emplace_back(name, std::nullopt);
  }
  std::optional<std::string> version;
  if (options.protocol_version > 0) version = "version=" + std::to_string(options.protocol_version);
  process.environment.emplace_back("GIT_PROTOCOL", version);

  const std::string remote_command = options.service + " " + base::shell_quote(url.path);
  switch (url.scheme) {
    case Scheme::path:
    case Scheme::file:
      process.own_group = true;  // no questions are asked here, and the shell's children shall end with it
      process.use_shell = true;
      break;
    case Scheme::ssh:
      add_ssh_command(url, options, process);
      break;
    case Scheme::git:
    case Scheme::http:
    case Scheme::external:
      throw Error(ErrorCode::usage, "no program is run for '" + without_user_info(url.text) + "'");
  }
  process.argv.push_back(remote_command);
  process.in = process.out = base::ProcessOptions::Stream::pipe;
  process.err = base::ProcessOptions::Stream::inherit;
  return process;
}

std::unique_ptr<Connection> connect_process(const Url& url, const ConnectOptions& options,
                                            const base::Cancellation& cancel) {
  return connection_over(base::Process::start(connect_command(url, options)), cancel);
}

std::unique_ptr<Connection> connection_over(base::Process child, const base::Cancellation& cancel) {
  return std::make_unique<ProcessConnection>(std::move(child), cancel);
}

}  // namespace pfetch::transport
