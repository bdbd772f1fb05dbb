// Asking for refs: the command ls-refs of protocol v2 (gitprotocol-v2), or the same choice from a v0 advertisement.
#pragma once

#include <string>
#include <vector>

#include "transport/connection.h"
#include "transport/handshake.h"
#include "transport/remote_refs.h"
#include "transport/sideband.h"

namespace pfetch::transport {

// What goes with every command of protocol v2.
struct CommandContext {
  std::string agent;                        // "pfetch/0.1.0"; no spaces or control characters
  std::vector<std::string> server_options;  // --server-option, in order
  base::PacketHook packet_hook{};
  RemoteMessage message{};  // the server's words
};

// With more prefixes than this all refs are asked for; the choice is then made here.
inline constexpr std::size_t ref_prefixes_max = 65536;

// The head of a v2 command: its name, and the capabilities that the server understands, up to the delimiter.
void add_command(base::PacketWriter& writer, std::string_view command, const Greeting& greeting,
                 const CommandContext& context);

// The refs whose names begin with one of `prefixes` (all without any). Throws as read_greeting.
RemoteRefs ls_refs(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                   const CommandContext& context, const std::vector<std::string>& prefixes);

// The same from an advertisement.
RemoteRefs filtered_refs(const RemoteRefs& all, const std::vector<std::string>& prefixes);

}  // namespace pfetch::transport
