#include "transport/ls_refs.h"

#include "base/error.h"
#include "object/ref_name.h"

namespace pfetch::transport {

namespace {

// "<oid> <name>[ symref-target:<name>][ peeled:<oid>]"; for a HEAD that is not born "unborn" stands for the id.
void add_line(std::string_view text, const PrefixFilter& filter, RemoteRefs& result) {
  const bool is_unborn = text.starts_with("unborn ");
  RemoteRef ref;
  if (is_unborn) {
    text.remove_prefix(7);
  } else {
    ref.id = take_oid(text);
  }
  const auto name_end = std::min(text.find(' '), text.size());
  ref.name = text.substr(0, name_end);
  text.remove_prefix(name_end);
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto end = std::min(text.find(' '), text.size());
    std::string_view attribute = text.substr(0, end);
    text.remove_prefix(end);
    if (attribute.starts_with("symref-target:")) {
      ref.symref_target = attribute.substr(14);
    } else if (attribute.starts_with("peeled:")) {
      attribute.remove_prefix(7);
      ref.peeled = take_oid(attribute);
    }
  }
  if (!filter.matches(ref.name)) return;
  if (!is_unborn) return result.add(std::move(ref));
  if (ref.name == "HEAD" && object::is_valid_ref_name(ref.symref_target)) result.head_target = ref.symref_target;
}

}  // namespace

void add_command(base::PacketWriter& writer, std::string_view command, const Greeting& greeting,
                 const CommandContext& context) {
  const Capabilities& server = greeting.capabilities;
  if (!server.has(command)) {
    throw Error(ErrorCode::protocol, "server doesn't support '" + std::string(command) + "'");
  }
  writer.line("command=" + std::string(command));
  if (server.has("agent")) writer.line("agent=" + context.agent);
  if (!context.server_options.empty() && !server.has("server-option")) {
    throw Error(ErrorCode::refused, "server doesn't support 'server-option'");
  }
  for (const std::string& option : context.server_options) writer.line("server-option=" + option);
  if (server.has("object-format")) writer.line("object-format=sha1");
  writer.delim();
}

RemoteRefs ls_refs(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                   const CommandContext& context, const std::vector<std::string>& prefixes) {
  base::PacketWriter writer(context.packet_hook);
  add_command(writer, "ls-refs", greeting, context);
  writer.line("peel");
  writer.line("symrefs");
  if (greeting.capabilities.has_word("ls-refs", "unborn")) writer.line("unborn");
  if (prefixes.size() <= ref_prefixes_max) {
    for (const std::string& prefix : prefixes) writer.line("ref-prefix " + prefix);
  }
  writer.flush();
  connection.write(writer.bytes());

  RemoteRefs result;
  // A server may answer with more than it was asked for.
  const PrefixFilter filter(prefixes);
  for (;;) {
    const base::Packet packet = next_reply(reader);
    if (packet.kind == base::PacketKind::flush) break;
    if (packet.kind != base::PacketKind::data) throw_unexpected("a delimiter among the refs");
    add_line(packet.text(), filter, result);
  }
  return result;
}

RemoteRefs filtered_refs(const RemoteRefs& all, const std::vector<std::string>& prefixes) {
  const PrefixFilter filter(prefixes);
  RemoteRefs result;
  result.warnings = all.warnings;
  for (const RemoteRef& ref : all.refs) {
    if (filter.matches(ref.name)) result.refs.push_back(ref);
  }
  if (filter.matches("HEAD")) {
    result.head_target = all.head_target;
    result.head_is_symbolic = all.head_is_symbolic;
    result.head_id = all.head_id;
  }
  return result;
}

}  // namespace pfetch::transport
