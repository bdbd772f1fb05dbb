#include "session/remote_settings.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/error.h"
#include "base/process.h"

namespace pfetch::session {

namespace {

constexpr int retries_max = 100;

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
  policy.only = base::environment_variable("GIT_ALLOW_PROTOCOL");
  if (const auto from_user = base::environment_variable("GIT_PROTOCOL_FROM_USER")) {
    policy.from_user = *from_user != "0" && *from_user != "false" && !from_user->empty();
  }
  return policy;
}

int protocol_version(const repo::Config& config) {
  const std::string value = config.get("protocol.version", "2");
  if (value == "0" || value == "1" || value == "2") return value[0] - '0';
  throw Error(ErrorCode::config, "unknown value for config 'protocol.version': " + value);
}

// What `git credential` and the like shall see: our settings of the command line, and no repository but a named one.
std::vector<std::pair<std::string, std::optional<std::string>>> child_environment(
    const repo::Environment& environment) {
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
  for (const std::string& name : repo::Environment::repository_variables()) variables.emplace_back(name, std::nullopt);
  variables.emplace_back("GIT_CONFIG_COUNT", std::nullopt);
  const std::string overrides = environment.quoted_overrides();
  variables.emplace_back("GIT_CONFIG_PARAMETERS",
                         overrides.empty() ? std::nullopt : std::optional<std::string>(overrides));
  // Not the repository that we happen to stand in: its settings are not those of the one that is made.
  variables.emplace_back("GIT_DIR", environment.git_dir.value_or("/dev/null"));
  return variables;
}

void add_http_settings(RemoteSettings& settings, const RemoteRequest& request, const repo::Config& config,
                       transport::ProtocolPolicy policy) {
  transport::HttpSettings& http = settings.connect.http;
  http = transport::read_http_settings(config, settings.url.text, request.remote, base::environment_variable);
  policy.from_user = false;  // nobody typed where a redirect leads to
  http.redirect_protocols.clear();
  for (const char* protocol : {"http", "https"}) {
    if (!transport::is_allowed(policy, protocol)) continue;
    if (!http.redirect_protocols.empty()) http.redirect_protocols += ',';
    http.redirect_protocols += protocol;
  }
  if (http.redirect_protocols.empty()) http.redirects = transport::HttpSettings::Redirects::never;
  if (http.redirect_protocols.empty()) http.redirect_protocols = settings.url.protocol;  // of no use any more
  transport::RetryOptions& retry = settings.connect.retry;
  if (http.max_retries) retry.tries_max = 1 + std::clamp(*http.max_retries, 0, retries_max);
  if (http.retry_after) retry.first_wait = *http.retry_after;
  if (http.max_retry_time) retry.wait_max = *http.max_retry_time;
}

}  // namespace

RemoteSettings remote_settings(const RemoteRequest& request, const repo::Config& config,
                               const repo::Environment& environment, Reporter& reporter) {
  RemoteSettings settings;
  settings.url = transport::parse_url(transport::apply_instead_of(instead_of_rules(config), request.url), is_there);
  const transport::ProtocolPolicy policy = protocol_policy(config);
  transport::require_allowed(policy, settings.url.protocol);
  settings.connect.service = request.service;
  settings.connect.protocol_version = protocol_version(config);
  if (request.ip_version == 4) settings.connect.family = transport::AddressFamily::ipv4;
  if (request.ip_version == 6) settings.connect.family = transport::AddressFamily::ipv6;
  settings.connect.ssh_command = config.get("core.sshcommand");
  settings.connect.ssh_variant = config.get("ssh.variant");
  settings.connect.git_proxies = config.get_all("core.gitproxy");
  settings.connect.child_environment = child_environment(environment);
  settings.connect.warn = [&reporter](std::string_view text) { reporter.warn(text); };
  settings.connect.message = [&reporter](std::string_view text, char end) { reporter.remote(text, end); };
  settings.connect.asking = [&reporter](bool asking) { reporter.yield_terminal(asking); };
  const bool is_git = settings.url.scheme == transport::Scheme::git;  // it shares the settings for trying again
  if (is_git || settings.url.scheme == transport::Scheme::http) add_http_settings(settings, request, config, policy);
  settings.fetch.server_options = request.server_options;
  if (const auto trace = base::environment_variable("GIT_TRACE_PACKET")) {
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
