#include "transport/fetch_parts.h"

#include "base/error.h"
#include "transport/sideband.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t boundary_lines_max = 50'000'000;

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

std::string shown(const base::Packet& packet) {
  constexpr std::size_t shown_bytes_max = 64;
  if (packet.kind != base::PacketKind::data) return "a flush packet";
  return "'" + cleaned(packet.text().substr(0, shown_bytes_max)) + "'";
}

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

}  // namespace pfetch::transport
