// What a connection is made with, whatever its scheme: plain data, filled by session/remote_settings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/http_settings.h"
#include "transport/retry.h"
#include "transport/sideband.h"

namespace pfetch::transport {

enum class AddressFamily { any, ipv4, ipv6 };

struct ConnectOptions {
  std::string service = "git-upload-pack";    // the program on the other side (--upload-pack); a shell reads it
  int protocol_version = 2;                   // 0, 1 or 2: what the other side is asked to speak
  AddressFamily family = AddressFamily::any;  // -4 and -6
  // Looks up a variable of our environment; empty: the process's own.
  std::function<std::optional<std::string>(const std::string& name)> environment;

  // ssh
  std::optional<std::string> ssh_command;  // core.sshCommand
  std::optional<std::string> ssh_variant;  // ssh.variant

  // git://
  std::vector<std::string> git_proxies;  // core.gitProxy, in order

  // http(s); also what `git credential` shall see of our own settings (GIT_CONFIG_PARAMETERS, GIT_DIR …)
  HttpSettings http;
  std::vector<std::pair<std::string, std::optional<std::string>>> child_environment;

  // All over the network
  RetryOptions retry;
  std::function<void(std::string_view text)> warn;  // words for the user; may be empty
  RemoteMessage message;                            // the words of a server outside of the protocol; may be empty
  std::function<void(bool asking)> asking;          // true: somebody asks the user a question now; may be empty

  std::optional<std::string> variable(const std::string& name) const;
};

}  // namespace pfetch::transport
