// Connections through a child process: `git-upload-pack` on this machine, or ssh to another.
//
// The command line, its environment and the choice between the dialects of ssh are Git's (git-config: core.sshCommand,
// ssh.variant; git(1): GIT_SSH, GIT_SSH_COMMAND, GIT_SSH_VARIANT). The child inherits our stderr, so that its own words
// (and ssh's questions) reach the user; the variables that describe a local repository are taken out of its
// environment. Throws ErrorCode::refused, unsupported, or what base::Process throws.
#pragma once

#include <memory>

#include "base/cancel.h"
#include "base/process.h"
#include "transport/connect_options.h"
#include "transport/connection.h"
#include "transport/url.h"

namespace pfetch::transport {

// What will be run for `url`. May itself run `ssh -G` to learn the dialect of an unknown ssh program, as Git does.
base::ProcessOptions connect_command(const Url& url, const ConnectOptions& options);

// Starts the other side. `cancel` must outlive the connection.
std::unique_ptr<Connection> connect_process(const Url& url, const ConnectOptions& options,
                                            const base::Cancellation& cancel);

// Any child as a connection (tests and connect_process). Its stdin and stdout must be pipes.
std::unique_ptr<Connection> connection_over(base::Process child, const base::Cancellation& cancel);

}  // namespace pfetch::transport
