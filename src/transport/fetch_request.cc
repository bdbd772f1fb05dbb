#include "transport/fetch_request.h"

#include <string_view>
#include <unordered_set>

#include "base/error.h"
#include "transport/fetch_parts.h"

namespace pfetch::transport {

namespace {

void check_v2(const Greeting& greeting, const FetchRequest& request) {
  const Capabilities& server = greeting.capabilities;
  const bool needs_shallow = request.depth.any() || !request.shallow.empty();
  require(!needs_shallow || server.has_word("fetch", "shallow"), "Server does not support shallow requests");
  require(request.want_refs.empty() || server.has_word("fetch", "ref-in-want"),
          "Server does not support requests by the name of a ref (ref-in-want)");
  require(!request.wait_for_done || server.has_word("fetch", "wait-for-done"), "Server does not support wait-for-done");
}

// The bands begin with the first packet of the answer wherever the server can do it, so that its words are heard while
// it still negotiates.
bool wants_sideband_all(const Greeting& greeting) {
  return greeting.capabilities.has_word("fetch", "sideband-all");
}

void add_request_v2(base::PacketWriter& writer, const Greeting& greeting, const CommandContext& context,
                    const FetchRequest& request) {
  add_command(writer, "fetch", greeting, context);
  if (request.thin_pack) writer.line("thin-pack");
  if (request.no_progress) writer.line("no-progress");
  if (request.include_tag) writer.line("include-tag");
  if (request.ofs_delta) writer.line("ofs-delta");
  if (request.wait_for_done) writer.line("wait-for-done");
  if (wants_sideband_all(greeting)) writer.line("sideband-all");
  add_depth_lines(writer, request);
  if (request.depth.relative) writer.line("deepen-relative");
  for (const std::string& name : request.want_refs) writer.line("want-ref " + name);
  for (const Oid& id : without_duplicates(request.wants)) writer.line("want " + id.hex());
}

// The section "acknowledgments". True when the server is ready and the pack's sections follow in this response.
bool read_acknowledgments(Replies& replies, Haves& haves) {
  const base::Packet title = replies.next();
  if (title.kind != base::PacketKind::data || title.text() != "acknowledgments") {
    throw Error(ErrorCode::protocol, "expected 'acknowledgments', received " + shown(title));
  }
  bool is_ready = false;
  for (;;) {
    const base::Packet packet = replies.next();
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

void read_wanted_refs(Replies& replies, const FetchRequest& request, FetchResponse& response) {
  std::unordered_set<std::string_view> open(request.want_refs.begin(), request.want_refs.end());
  for (;;) {
    const base::Packet packet = replies.next();
    if (packet.kind == base::PacketKind::delim) return;
    std::string_view text = packet.text();
    if (packet.kind != base::PacketKind::data) throw_unexpected("the end of the wanted refs");
    const Oid id = take_oid(text);
    if (open.erase(text) == 0) throw_unexpected(text);
    response.wanted_refs.emplace_back(text, id);
  }
}

// The sections before the pack, up to and with the title "packfile".
void read_sections(Replies& replies, const FetchRequest& request, FetchResponse& response) {
  for (;;) {
    const base::Packet title = replies.next();
    if (title.kind != base::PacketKind::data) {
      throw Error(ErrorCode::protocol, "expected 'packfile', received the end of the response");
    }
    const std::string_view text = title.text();
    if (text == "packfile") break;
    if (text == "shallow-info" && !response.boundary_told) {
      read_boundary(replies, base::PacketKind::delim, response);
    } else if (text == "wanted-refs" && response.wanted_refs.empty()) {
      read_wanted_refs(replies, request, response);
    } else {
      throw_unexpected(text);
    }
  }
  if (response.wanted_refs.size() != request.want_refs.size()) {
    throw Error(ErrorCode::protocol, "the remote does not say what the wanted refs are");
  }
}

}  // namespace

FetchResponse request_v2(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                         const CommandContext& context, const FetchRequest& request) {
  check_v2(greeting, request);
  FetchResponse response;
  Replies replies(reader, wants_sideband_all(greeting), context.message);
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
    if (is_last || read_acknowledgments(replies, haves)) break;
    round_haves = next_round_haves(round_haves, true);
  }
  read_sections(replies, request, response);
  replies.finish();
  return response;
}

}  // namespace pfetch::transport
