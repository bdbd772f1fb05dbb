#include <functional>
#include <unordered_set>

#include "base/error.h"
#include "transport/fetch_parts.h"
#include "transport/fetch_request.h"

namespace pfetch::transport {

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
std::string wanted_capabilities(const Capabilities& server, const CommandContext& context, const FetchRequest& request,
                                bool no_done) {
  std::string words;
  const auto add = [&](bool wanted, const std::string& name) {
    if (wanted && server.has(name)) words.append(" ").append(name);
  };
  const MultiAck multi_ack = choose_multi_ack(server);
  add(multi_ack == MultiAck::detailed, "multi_ack_detailed");
  add(multi_ack == MultiAck::simple, "multi_ack");
  add(no_done, "no-done");
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
AckKind read_ack(Replies& replies, Haves& haves) {
  const base::Packet packet = replies.next();
  std::string_view text = packet.text();
  if (packet.kind != base::PacketKind::data) {
    throw Error(ErrorCode::protocol, "expected ACK/NAK, got " + shown(packet));
  }
  if (text == "NAK") return AckKind::nak;
  if (!text.starts_with("ACK ")) {
    throw Error(ErrorCode::protocol, "expected ACK/NAK, got " + shown(packet));
  }
  text.remove_prefix(4);
  const Oid id = take_oid(text);
  if (text == "ready") return AckKind::ready;
  if (!text.empty() && text != "common" && text != "continue") throw_unexpected(text);
  haves.acknowledged(id);
  return text.empty() ? AckKind::final : AckKind::common;
}

// The negotiation over protocol v0 and v1: in rounds, each ended by a flush and answered up to a NAK; then "done" and
// the last word. Over a stateless connection every round begins with all that was said before and still counts.
class NegotiationV0 {
 public:
  NegotiationV0(Connection& connection, base::PacketReader& reader, const CommandContext& context,
                const FetchRequest& request, FetchResponse& response, const Capabilities& server)
      : connection_(connection),
        replies_(reader, false, {}),
        context_(context),
        request_(request),
        response_(response),
        multi_ack_(choose_multi_ack(server)),
        no_done_(connection.stateless() && multi_ack_ == MultiAck::detailed && server.has("no-done")),
        haves_(request.negotiator, response) {}

  // Whether the server is to send the pack as soon as it is ready: over a stateless connection that saves an exchange.
  bool no_done() const { return no_done_; }

  // `opening`: writes the wants and the depth, up to their flush.
  void run(const std::function<void(base::PacketWriter&)>& opening) {
    if (!connection_.stateless()) {
      base::PacketWriter writer(context_.packet_hook);
      opening(writer);
      connection_.write(writer.bytes());
      read_depth_answer();
    }
    bool is_settled = false;  // the last line before the pack was read: without multi_ack that is the first ACK
    std::size_t round_haves = first_round_haves;
    for (bool go_on = true; go_on || !no_done_;) {
      base::PacketWriter writer(context_.packet_hook);
      begin_round(writer, opening);
      const bool is_last = !go_on || haves_.given_up() || haves_.propose(writer, round_haves) == 0;
      if (is_last) {
        writer.line("done");
      } else {
        writer.flush();
      }
      connection_.write(writer.bytes());
      if (connection_.stateless()) read_depth_answer();
      if (is_last) {
        is_settled = is_settled && !connection_.stateless();
        break;
      }
      for (;;) {
        const AckKind ack = read_ack(replies_, haves_);
        if (ack == AckKind::ready || ack == AckKind::final) go_on = false;
        if (ack == AckKind::final) is_settled = true;
        if (ack == AckKind::nak || ack == AckKind::final) break;
      }
      round_haves = next_round_haves(round_haves, connection_.stateless());
    }
    if (!is_settled) read_last_acknowledgment();
  }

 private:
  void begin_round(base::PacketWriter& writer, const std::function<void(base::PacketWriter&)>& opening) {
    if (!connection_.stateless()) return;
    opening(writer);
    for (const Oid& id : response_.common) writer.line("have " + id.hex());
  }

  // With multi_ack a server may still acknowledge what it had read, before its last ACK or NAK.
  void read_last_acknowledgment() {
    for (;;) {
      const AckKind ack = read_ack(replies_, haves_);
      if (ack == AckKind::nak || ack == AckKind::final || multi_ack_ == MultiAck::none) return;
    }
  }

  // Only a depth request is answered by a boundary: a server that is itself shallow told it with its refs.
  void read_depth_answer() {
    if (!request_.depth.any()) return;
    response_.shallow.clear();
    response_.unshallow.clear();
    read_boundary(replies_, base::PacketKind::flush, response_);
  }

  Connection& connection_;
  Replies replies_;
  const CommandContext& context_;
  const FetchRequest& request_;
  FetchResponse& response_;
  const MultiAck multi_ack_;
  const bool no_done_;
  Haves haves_;
};

}  // namespace

void refuse_server_options(const CommandContext& context) {
  require(context.server_options.empty(), "server options require protocol version 2 or later");
}

FetchResponse request_v0(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                         const CommandContext& context, const FetchRequest& request) {
  const Capabilities& server = greeting.capabilities;
  refuse_server_options(context);
  check_depth_v0(server, request);
  const std::vector<Oid> wants = without_duplicates(request.wants);
  check_wants_v0(greeting, wants);

  FetchResponse response;
  response.has_sideband = server.has("side-band-64k") || server.has("side-band");
  NegotiationV0 negotiation(connection, reader, context, request, response, server);
  negotiation.run([&](base::PacketWriter& writer) {
    std::string capabilities = wanted_capabilities(server, context, request, negotiation.no_done());
    for (const Oid& id : wants) {
      writer.line("want " + id.hex() + capabilities);
      capabilities.clear();
    }
    add_depth_lines(writer, request);
    writer.flush();
  });
  return response;
}

}  // namespace pfetch::transport
