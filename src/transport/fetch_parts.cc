#include "transport/fetch_parts.h"

#include "base/error.h"
#include "transport/sideband.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t boundary_lines_max = 50'000'000;
constexpr std::size_t doubled_until = 16384;  // proposals; beyond it each round is a tenth larger
constexpr std::size_t pipe_round_haves = 32;  // 2 kB of answers at most

}  // namespace

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

std::size_t next_round_haves(std::size_t count, bool read_whole) {
  if (!read_whole) return pipe_round_haves;
  return count < doubled_until ? count * 2 : count + count / 10;
}

std::string shown(const base::Packet& packet) {
  constexpr std::size_t shown_bytes_max = 64;
  if (packet.kind != base::PacketKind::data) return "a flush packet";
  return "'" + cleaned(packet.text().substr(0, shown_bytes_max)) + "'";
}

base::Packet Replies::next() {
  for (;;) {
    base::Packet packet = reader_.next();
    if (sideband_all_ && packet.kind == base::PacketKind::data) {
      const char band = packet.payload.empty() ? '\0' : packet.payload.front();
      if (band < 1 || band > 3) throw Error(ErrorCode::protocol, "protocol error: no band designator");
      packet.payload.remove_prefix(1);
      if (band == 3) {
        lines_.finish();
        throw_last_words(packet.payload);
      }
      if (band == 2) {
        lines_.add(packet.payload);
        continue;
      }
    }
    throw_if_error(packet);
    return packet;
  }
}

void read_boundary(Replies& replies, base::PacketKind end, FetchResponse& response) {
  response.boundary_told = true;
  for (;;) {
    const base::Packet packet = replies.next();
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

}  // namespace pfetch::transport
