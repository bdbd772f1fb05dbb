// What the requests of all protocol versions are made of: the depth, the boundary, the proposals.
//
// Inner room of transport/fetch_request; same threads and errors.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/pkt_line.h"
#include "transport/fetch_request.h"
#include "transport/sideband.h"

namespace pfetch::transport {

// How many proposals follow a round of `count`. `read_whole`: the server reads a request to its end before it answers;
// otherwise both sides talk at once, and a round and its answers must fit into the smallest pipe.
std::size_t next_round_haves(std::size_t count, bool read_whole);

std::vector<Oid> without_duplicates(const std::vector<Oid>& ids);

// Throws ErrorCode::refused with `message` unless `can`.
void require(bool can, std::string_view message);

// "shallow", "deepen", "deepen-since", "deepen-not" of a request.
void add_depth_lines(base::PacketWriter& writer, const FetchRequest& request);

// A packet for a message.
std::string shown(const base::Packet& packet);

// What the server says before the pack. With `sideband_all` (gitprotocol-v2, "sideband-all") each packet of text is on
// a band: what is meant for the user goes to `message`, and the server's last words are thrown.
class Replies {
 public:
  Replies(base::PacketReader& reader, bool sideband_all, const RemoteMessage& message)
      : reader_(reader), sideband_all_(sideband_all), lines_(message) {}

  // The next packet of the answer proper; throws as next_reply().
  base::Packet next();
  // The pack follows.
  void finish() { lines_.finish(); }

 private:
  base::PacketReader& reader_;
  bool sideband_all_;
  MessageLines lines_;
};

// "shallow <oid>" and "unshallow <oid>" up to the mark `end`, added to the response.
void read_boundary(Replies& replies, base::PacketKind end, FetchResponse& response);

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

}  // namespace pfetch::transport
