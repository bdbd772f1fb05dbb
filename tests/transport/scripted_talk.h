// Requests against a script: what is sent, and what is made of the answer.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tests/transport/fake_connection.h"
#include "transport/fetch_request.h"
#include "transport/sideband.h"

namespace pfetch::transport {

inline const std::string id_a(40, 'a');
inline const std::string id_b(40, 'b');
inline const std::string id_c(40, 'c');
inline const Oid a = *Oid::from_hex(id_a);
inline const Oid b = *Oid::from_hex(id_b);
inline const Oid c = *Oid::from_hex(id_c);

// Proposes a fixed list and remembers what was acknowledged.
class ListNegotiator : public Negotiator {
 public:
  explicit ListNegotiator(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) all.push_back(numbered(i));
    haves = all;
  }
  static Oid numbered(std::size_t i) {
    Oid id;
    base::store_be32(id.raw.data(), static_cast<std::uint32_t>(i + 1));
    return id;
  }
  std::optional<Oid> next() override {
    if (haves.empty()) return std::nullopt;
    const Oid id = haves.front();
    haves.pop_front();
    return id;
  }
  void ack(const Oid& id) override { acked.push_back(id); }
  void restart() override { haves = all; }

  std::deque<Oid> all, haves;
  std::vector<Oid> acked;
};

struct Talk {
  Greeting greeting;
  CommandContext context{"me/1", {}};
  std::string heard;  // the server's words, line by line
  std::string sent;
  std::string pack;  // what comes after the answer
  std::size_t piece = 5;
  bool is_stateless = false;

  explicit Talk(ProtocolVersion version, const std::vector<std::string>& capabilities) {
    greeting.version = version;
    for (const std::string& item : capabilities) greeting.capabilities.add(item);
    greeting.refs.add({"refs/heads/main", a, {}, ""});
    context.message = [this](std::string_view line, char) { heard.append(line).append("\n"); };
  }

  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  FetchResponse run(const FetchRequest& request, const std::string& script) {
    sent.clear();
    test::FakeConnection connection(script, piece, sent, is_stateless);
    base::PacketReader reader(static_cast<base::ScatterSource&>(connection));
    const auto response = greeting.version == ProtocolVersion::v2
                              ? request_v2(connection, reader, greeting, context, request)
                              : request_v0(connection, reader, greeting, context, request);
    PackStream stream(reader, response.has_sideband, context.message);
    pack = test::read_all(stream);
    return response;
  }
  std::string failure(const FetchRequest& request, const std::string& script) {
    return test::error_message([&] { run(request, script); });
  }
};

}  // namespace pfetch::transport
