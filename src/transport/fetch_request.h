// What is asked of the other side, what it answers before the pack, and the exchange itself for both protocols.
//
// Formats: gitprotocol-v2 ("fetch"), gitprotocol-pack ("Packfile Negotiation"), gitprotocol-capabilities, and
// for the boundary gitprotocol-pack ("shallow", "unshallow"). One thread at a time. Throws ErrorCode::refused
// when the server lacks what the request needs, ErrorCode::remote with its words when it says no, ErrorCode::protocol.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transport/connection.h"
#include "transport/handshake.h"
#include "transport/ls_refs.h"
#include "transport/negotiator.h"

namespace pfetch::transport {

struct DepthSpec {
  int depth = 0;                     // commits from each tip; 0: no limit by count; INT_MAX: everything (--unshallow)
  bool relative = false;             // `depth` counts from our present boundary (--deepen)
  std::optional<std::string> since;  // seconds since the epoch, as decimal digits (--shallow-since)
  std::vector<std::string> exclude;  // names of refs (--shallow-exclude)

  bool any() const { return depth > 0 || since.has_value() || !exclude.empty(); }
};

struct FetchRequest {
  std::vector<Oid> wants;              // without duplicates, or with: each is asked for once
  std::vector<std::string> want_refs;  // full names, without duplicates; v2 with ref-in-want only
  std::vector<Oid> shallow;            // our own boundary: always to be told, also without a depth
  DepthSpec depth;
  bool include_tag = false;  // send annotated tags whose target is sent
  bool thin_pack = false;    // deltas may stand on objects that we have
  bool ofs_delta = true;
  bool no_progress = false;
  bool wait_for_done = false;        // v2: no pack before we say "done", whatever is common
  Negotiator* negotiator = nullptr;  // null: we have nothing to propose
};

struct FetchResponse {
  // The server's word on the boundary: commits to list, and commits to list no longer. `boundary_told` is false when it
  // said nothing at all; an empty section is an answer, too.
  bool boundary_told = false;
  std::vector<Oid> shallow;
  std::vector<Oid> unshallow;
  std::vector<std::pair<std::string, Oid>> wanted_refs;  // each of want_refs, and what it is on the other side
  std::vector<Oid> common;                               // what the server acknowledged
  std::size_t haves_sent = 0;
  bool has_sideband = true;  // how the pack that follows is wrapped
};

// After the first acknowledgment this many proposals in a row without another end the negotiation.
inline constexpr std::size_t haves_in_vain_max = 256;

// Sends the request, negotiates, and reads up to the first byte of the pack.
FetchResponse request_v2(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                         const CommandContext& context, const FetchRequest& request);
FetchResponse request_v0(Connection& connection, base::PacketReader& reader, const Greeting& greeting,
                         const CommandContext& context, const FetchRequest& request);

// v0 and v1 know no server options: throws ErrorCode::refused when there are any.
void refuse_server_options(const CommandContext& context);

}  // namespace pfetch::transport
