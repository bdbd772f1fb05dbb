#include "session/remote_settings.h"

#include <sys/stat.h>

#include <cstdlib>

#include "base/error.h"

namespace pfetch::session {

namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

std::vector<transport::InsteadOf> instead_of_rules(const repo::Config& config) {
  std::vector<transport::InsteadOf> rules;
  for (const std::string& base : config.subsections("url")) {
    for (std::string& instead_of : config.get_all("url." + base + ".insteadof")) {
      rules.push_back({base, std::move(instead_of)});
    }
  }
  return rules;
}

transport::ProtocolPolicy protocol_policy(const repo::Config& config) {
  transport::ProtocolPolicy policy;
  policy.allow = config.get("protocol.allow");
  for (const std::string& name : config.subsections("protocol")) {
    if (auto allow = config.get("protocol." + name + ".allow")) policy.by_name[name] = *allow;
  }
  policy.only = variable("GIT_ALLOW_PROTOCOL");
  if (const auto from_user = variable("GIT_PROTOCOL_FROM_USER")) {
    policy.from_user = *from_user != "0" && *from_user != "false" && !from_user->empty();
  }
  return policy;
}

int protocol_version(const repo::Config& config) {
  const std::string value = config.get("protocol.version", "2");
  if (value == "0" || value == "1" || value == "2") return value[0] - '0';
  throw Error(ErrorCode::config, "unknown value for config 'protocol.version': " + value);
}

}  // namespace

RemoteSettings remote_settings(const RemoteRequest& request, const repo::Config& config, Reporter& reporter) {
  RemoteSettings settings;
  settings.url = transport::parse_url(transport::apply_instead_of(instead_of_rules(config), request.url), is_there);
  transport::require_allowed(protocol_policy(config), settings.url.protocol);
  settings.connect.service = request.service;
  settings.connect.protocol_version = protocol_version(config);
  if (request.ip_version == 4) settings.connect.family = transport::AddressFamily::ipv4;
  if (request.ip_version == 6) settings.connect.family = transport::AddressFamily::ipv6;
  settings.connect.ssh_command = config.get("core.sshcommand");
  settings.connect.ssh_variant = config.get("ssh.variant");
  settings.fetch.server_options = request.server_options;
  if (const auto trace = variable("GIT_TRACE_PACKET")) {
    std::string warning;
    settings.packets = transport::PacketTrace::open(*trace, request.program, &warning);
    if (!warning.empty()) reporter.warn(warning);
    if (settings.packets) settings.fetch.packet_hook = settings.packets->hook();
  }
  settings.fetch.message = [&reporter](std::string_view text, char end) { reporter.remote(text, end); };
  return settings;
}

std::unique_ptr<transport::FetchSession> open_session(const RemoteSettings& settings,
                                                      const base::Cancellation& cancel) {
  return transport::FetchSession::open(settings.url, settings.connect, settings.fetch, cancel);
}

}  // namespace pfetch::session
