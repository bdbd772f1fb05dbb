#include "transport/fetch_request.h"

#include <unordered_set>

#include "base/error.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t boundary_lines_max = 50'000'000;
constexpr std::size_t first_round_haves = 16;
constexpr std::size_t round_haves_doubled_until = 16384;  // v2: a request is read whole before it is answered
constexpr std::size_t pipe_round_haves = 32;              // v0: both sides talk at once and must not fill the pipes

std::vector<Oid> without_duplicates(const std::vector<Oid>& ids) {
  std::unordered_set<Oid> seen;
  std::vector<Oid> unique;
  for (const Oid& id : ids) {
    if (seen.insert(id).second) unique.push_back(id);
  }
  return unique;
}

void require(bool can, std::string_view message) {
  if (!can) throw Error(ErrorCode::refused, std::string(message));
}

void add_depth_lines(base::PacketWriter& writer, const FetchRequest& request) {
  for (const Oid& id : request.shallow) writer.line("shallow " + id.hex());
  if (request.depth.depth > 0) writer.line("deepen " + std::to_string(request.depth.depth));
  if (request.depth.since) writer.line("deepen-since " + *request.depth.since);
  for (const std::string& name : request.depth.exclude) writer.line("deepen-not " + name);
}

// "shallow <oid>" and "unshallow <oid>" up to the mark that ends them.
void read_boundary(base::PacketReader& reader, base::PacketKind end, FetchResponse& response) {
  response.boundary_told = true;
  for (;;) {
    const base::Packet packet = next_reply(reader);
    if (packet.kind == end) return;
    if (packet.kind != base::PacketKind::data) throw_unexpected("the end of the boundary");
    std::string_view text = packet.text();
    const bool is_shallow = text.starts_with("shallow ");
    if (!is_shallow && !text.starts_with("unshallow ")) throw_unexpected(text);
    text.remove_prefix(is_shallow ? 8 : 10);
    auto& list = is_shallow ? response.shallow : response.unshallow;
    if (list.size() >= boundary_lines_max) throw_unexpected("too many boundary lines");
    list.push_back(take_oid(text));
    if (!text.empty()) throw_unexpected(text);
  }
}

// The proposals: how many were made, how many of them in a row for nothing.
class Haves {
 public:
  Haves(Negotiator* negotiator, FetchResponse& response) : negotiator_(negotiator), response_(response) {}

  // Writes at most `count`; returns how many there were.
  std::size_t propose(base::PacketWriter& writer, std::size_t count) {
    std::size_t proposed = 0;
    while (proposed < count) {
      const auto id = negotiator_ == nullptr ? std::nullopt : negotiator_->next();
      if (!id) break;
      writer.line("have " + id->hex());
      ++proposed;
    }
    in_vain_ += proposed;
    response_.haves_sent += proposed;
    return proposed;
  }

  // v2 acknowledges again what an earlier round had in common; only something new is a success.
  void acknowledged(const Oid& id) {
    if (!acknowledged_.insert(id).second) return;
    if (response_.common.size() >= response_.haves_sent) throw_unexpected("ACK " + id.hex());
    response_.common.push_back(id);
    in_vain_ = 0;
    if (negotiator_ != nullptr) negotiator_->ack(id);
  }

  bool given_up() const { return !response_.common.empty() && in_vain_ >= haves_in_vain_max; }

 private:
  Negotiator* negotiator_;
  FetchResponse& response_;
  std::unordered_set<Oid> acknowledged_;
  std::size_t in_vain_ = 0;
};

// --- protocol v2 ---------------------------------------------------------------------------------------------------

void check_v2(const Greeting& greeting, const FetchRequest& request) {
  const Capabilities& server = greeting.capabilities;
  const bool needs_shallow = request.depth.any() || !request.shallow.empty();
  require(!needs_shallow || server.has_word("fetch", "shallow"), "Server does not support shallow requests");
  require(request.want_refs.empty() || server.has_word("fetch", "ref-in-want"),
          "Server does not support requests by the name of a ref (ref-in-want)");
  require(!request.wait_for_done || server.has_word("fetch", "wait-for-done"), "Server does not support wait-for-done");
}

void add_request_v2(base::PacketWriter& writer, const Greeting& greeting, const CommandContext& context,
                    const FetchRequest& request) {
  add_command(writer, "fetch", greeting, context);
  if (request.thin_pack) writer.line("thin-pack");
  if (request.no_progress) writer.line("no-progress");
  if (request.include_tag) writer.line("include-tag");
  if (request.ofs_delta) writer.line("ofs-delta");
  if (request.wait_for_done) writer.line("wait-for-done");
  add_depth_lines(writer, request);
  if (request.depth.relative) writer.line("deepen-relative");
  for (const std::string& name : request.want_refs) writer.line("want-ref " + name);
  for (const Oid& id : without_duplicates(request.wants)) writer.line("want " + id.hex());
}

// The section "acknowledgments". True when the server is ready and the pack's sections follow in this response.
bool read_acknowledgments(base::PacketReader& reader, Haves& haves) {
  const base::Packet title = next_reply(reader);
  if (title.kind != base::PacketKind::data || title.text() != "acknowledgments") {
    throw Error(ErrorCode::protocol,
                "expected 'acknowledgments', received " + (title.kind == base::PacketKind::data
                                                               ? "'" + std::string(title.text().substr(0, 64)) + "'"
                                                               : std::string("the end of a section")));
  }
  bool is_ready = false;
  for (;;) {
    const base::Packet packet = next_reply(reader);
    if (packet.kind == base::PacketKind::delim) {
      if (!is_ready) throw Error(ErrorCode::protocol, "expected no other sections to be sent after no 'ready'");
      return true;
    }
    if (packet.kind == base::PacketKind::flush) {
      if (is_ready) throw Error(ErrorCode::protocol, "expected packfile to be sent after 'ready'");
      return false;
    }
    std::string_view text = packet.text();
    if (packet.kind != base::PacketKind::data) throw_unexpected("the end of a response");
    if (text == "ready") {
      is_ready = true;
    } else if (text.starts_with("ACK ")) {
      text.remove_prefix(4);
      haves.acknowledged(take_oid(text));
    } else if (text != "NAK") {
      throw_unexpected(text);
    }
  }
}

void read_wanted_refs(base::PacketReader& reader, const FetchRequest& request, FetchResponse& response) {
  for (;;) {
    const base::Packet packet = next_reply(reader);
    if (packet.kind == base::PacketKind::delim) return;
    std::string_view text = packet.text();
    if (packet.kind != base::PacketKind::data) throw_unexpected("the end of the wanted refs");
    const Oid id = take_oid(text);
    if (response.wanted_refs.size() >= request.want_refs.size()) throw_unexpected(text);
    response.wanted_refs.emplace_back(text, id);
  }
}

// The sections before the pack, up to and with the title "packfile".
void read_sections(base::PacketReader& reader, const FetchRequest& request, FetchResponse& response) {
  for (;;) {
    const base::Packet title = next_reply(reader);
    if (title.kind != base::PacketKind::data) {
      throw Error(ErrorCode::protocol, "expected 'packfile', received the end of the response");
    }
    const std::string_view text = title.text();
    if (text == "packfile") return;
    if (text == "shallow-info" && !response.boundary_told) {
      read_boundary(reader, base::PacketKind::delim, response);
    } else if (text == "wanted-refs" && response.wanted_refs.empty()) {
      read_wanted_refs(reader, request, response);
    } else {
      throw_unexpected(text);
    }
  }
}

}  // namespace

FetchResponse request_v2(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                         const CommandContext& context, const FetchRequest& request) {
  check_v2(greeting, request);
  FetchResponse response;
  Haves haves(request.negotiator, response);
  std::size_t round_haves = first_round_haves;
  for (;;) {
    // Nothing is remembered between two requests: each round repeats the wants and what is common.
    base::PacketWriter writer(context.packet_hook);
    add_request_v2(writer, greeting, context, request);
    for (const Oid& id : response.common) writer.line("have " + id.hex());
    const bool is_last = haves.given_up() || haves.propose(writer, round_haves) == 0;
    if (is_last) writer.line("done");
    writer.flush();
    connection.write(writer.bytes());
    if (is_last || read_acknowledgments(reader, haves)) break;
    round_haves += round_haves < round_haves_doubled_until ? round_haves : round_haves / 10;
  }
  read_sections(reader, request, response);
  return response;
}

// --- protocol v0 and v1 --------------------------------------------------------------------------------------------

namespace {

enum class MultiAck { none, simple, detailed };

void check_depth_v0(const Capabilities& server, const FetchRequest& request) {
  const bool needs_shallow = request.depth.any() || !request.shallow.empty();
  require(!needs_shallow || server.has("shallow"), "Server does not support shallow clients");
  require(!request.depth.since || server.has("deepen-since"), "Server does not support --shallow-since");
  require(request.depth.exclude.empty() || server.has("deepen-not"), "Server does not support --shallow-exclude");
  require(!request.depth.relative || server.has("deepen-relative"), "Server does not support --deepen");
  require(request.want_refs.empty(), "Server does not support requests by the name of a ref (ref-in-want)");
  require(!request.wait_for_done, "Server does not support wait-for-done");
}

// An id that is no tip of the advertisement may be asked for only where the server says so.
void check_wants_v0(const Greeting& greeting, const std::vector<Oid>& wants) {
  const Capabilities& server = greeting.capabilities;
  if (server.has("allow-tip-sha1-in-want") || server.has("allow-reachable-sha1-in-want")) return;
  std::unordered_set<Oid> not_found(wants.begin(), wants.end());
  for (const RemoteRef& ref : greeting.refs.refs) not_found.erase(ref.id);
  for (const Oid& id : wants) {
    require(!not_found.contains(id), "Server does not allow request for unadvertised object " + id.hex());
  }
}

MultiAck choose_multi_ack(const Capabilities& server) {
  if (server.has("multi_ack_detailed")) return MultiAck::detailed;
  return server.has("multi_ack") ? MultiAck::simple : MultiAck::none;
}

// The capabilities that follow the first want, each only if the server has it.
std::string wanted_capabilities(const Capabilities& server, const CommandContext& context,
                                const FetchRequest& request) {
  std::string words;
  const auto add = [&](bool wanted, const std::string& name) {
    if (wanted && server.has(name)) words.append(" ").append(name);
  };
  const MultiAck multi_ack = choose_multi_ack(server);
  add(multi_ack == MultiAck::detailed, "multi_ack_detailed");
  add(multi_ack == MultiAck::simple, "multi_ack");
  add(true, "side-band-64k");
  add(!server.has("side-band-64k"), "side-band");
  add(request.depth.relative, "deepen-relative");
  add(request.thin_pack, "thin-pack");
  add(request.no_progress, "no-progress");
  add(request.include_tag, "include-tag");
  add(request.ofs_delta, "ofs-delta");
  add(request.depth.since.has_value(), "deepen-since");
  add(!request.depth.exclude.empty(), "deepen-not");
  if (server.has("agent")) words.append(" agent=").append(context.agent);
  return words;
}

enum class AckKind { nak, final, common, ready };

// One line of the server's answer to our haves.
AckKind read_ack(base::PacketReader& reader, Haves& haves) {
  const base::Packet packet = next_reply(reader);
  std::string_view text = packet.text();
  if (packet.kind != base::PacketKind::data) {
    throw Error(ErrorCode::protocol, "expected ACK/NAK, got a flush packet");
  }
  if (text == "NAK") return AckKind::nak;
  if (!text.starts_with("ACK ")) {
    throw Error(ErrorCode::protocol, "expected ACK/NAK, got '" + std::string(text.substr(0, 64)) + "'");
  }
  text.remove_prefix(4);
  const Oid id = take_oid(text);
  if (text == "ready") return AckKind::ready;
  if (!text.empty() && text != "common" && text != "continue") throw_unexpected(text);
  haves.acknowledged(id);
  return text.empty() ? AckKind::final : AckKind::common;
}

// Proposes in rounds, each ended by a flush and answered up to a NAK; then says "done" and reads the last word.
void negotiate_v0(Connection& connection, base::PacketReader& reader, const CommandContext& context, MultiAck multi_ack,
                  Haves& haves) {
  bool is_settled = false;  // without multi_ack the first ACK is also the last line before the pack
  std::size_t round_haves = first_round_haves;
  for (bool go_on = true; go_on && !haves.given_up();) {
    base::PacketWriter writer(context.packet_hook);
    if (haves.propose(writer, round_haves) == 0) break;
    writer.flush();
    connection.write(writer.bytes());
    for (;;) {
      const AckKind ack = read_ack(reader, haves);
      if (ack == AckKind::nak) break;
      if (ack == AckKind::ready) go_on = false;
      if (ack == AckKind::final) {
        is_settled = true;
        go_on = false;
        break;
      }
    }
    round_haves += round_haves < pipe_round_haves ? round_haves : pipe_round_haves;
  }
  base::PacketWriter writer(context.packet_hook);
  writer.line("done");
  connection.write(writer.bytes());
  if (is_settled) return;
  // With multi_ack a server may still acknowledge what it had read, before its last ACK or NAK.
  for (;;) {
    const AckKind ack = read_ack(reader, haves);
    if (ack == AckKind::nak || ack == AckKind::final || multi_ack == MultiAck::none) return;
  }
}

}  // namespace

FetchResponse request_v0(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                         const CommandContext& context, const FetchRequest& request) {
  const Capabilities& server = greeting.capabilities;
  if (connection.stateless()) {
    throw Error(ErrorCode::unsupported, "protocol v0 over a stateless connection is not built yet in this pfetch");
  }
  require(context.server_options.empty(), "server options require protocol version 2 or later");
  check_depth_v0(server, request);
  const std::vector<Oid> wants = without_duplicates(request.wants);
  check_wants_v0(greeting, wants);

  base::PacketWriter writer(context.packet_hook);
  std::string capabilities = wanted_capabilities(server, context, request);
  for (const Oid& id : wants) {
    writer.line("want " + id.hex() + capabilities);
    capabilities.clear();
  }
  add_depth_lines(writer, request);
  writer.flush();
  connection.write(writer.bytes());

  FetchResponse response;
  response.has_sideband = server.has("side-band-64k") || server.has("side-band");
  // Only a depth request is answered by a boundary: a server that is itself shallow told it with its refs.
  if (request.depth.any()) read_boundary(reader, base::PacketKind::flush, response);
  Haves haves(request.negotiator, response);
  negotiate_v0(connection, reader, context, choose_multi_ack(server), haves);
  return response;
}

}  // namespace pfetch::transport
