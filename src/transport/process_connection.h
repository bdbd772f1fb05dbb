// Connections through a child process: `git-upload-pack` on this machine, or ssh to another.
//
// The command line, its environment and the choice between the dialects of ssh are Git's (git-config: core.sshCommand,
// ssh.variant; git(1): GIT_SSH, GIT_SSH_COMMAND, GIT_SSH_VARIANT). The child inherits our stderr, so that its own words
// (and ssh's questions) reach the user; the variables that describe a local repository are taken out of its
// environment. Throws ErrorCode::refused, unsupported, or what base::Process throws.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/process.h"
#include "transport/connection.h"
#include "transport/url.h"

namespace pfetch::transport {

enum class AddressFamily { any, ipv4, ipv6 };

struct ConnectOptions {
  std::string service = "git-upload-pack";    // the program on the other side (--upload-pack); a shell reads it
  int protocol_version = 2;                   // 0, 1 or 2: what the other side is asked to speak
  std::optional<std::string> ssh_command;     // core.sshCommand
  std::optional<std::string> ssh_variant;     // ssh.variant
  AddressFamily family = AddressFamily::any;  // -4 and -6
  // Looks up a variable of our environment; empty: getenv.
  std::function<std::optional<std::string>(const std::string& name)> environment;
};

// What will be run for `url`. May itself run `ssh -G` to learn the dialect of an unknown ssh program, as Git does.
base::ProcessOptions connect_command(const Url& url, const ConnectOptions& options);

// Starts the other side. `cancel` must outlive the connection.
std::unique_ptr<Connection> connect_process(const Url& url, const ConnectOptions& options,
                                            const base::Cancellation& cancel);

// Any child as a connection (tests and connect_process). Its stdin and stdout must be pipes.
std::unique_ptr<Connection> connection_over(base::Process child, const base::Cancellation& cancel);

}  // namespace pfetch::transport
