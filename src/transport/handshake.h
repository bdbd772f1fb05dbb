// The first words of the other side: which protocol it speaks, what it can do, and (v0, v1) its refs.
//
// Formats: gitprotocol-pack ("Reference Discovery"), gitprotocol-v2 ("Capability Advertisement"),
// gitprotocol-capabilities. Throws ErrorCode::remote when the other side refuses or hangs up, ErrorCode::protocol for
// what is no advertisement, ErrorCode::unsupported for object ids that are not SHA-1.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pkt_line.h"
#include "object/oid.h"
#include "transport/remote_refs.h"

namespace pfetch::transport {

enum class ProtocolVersion { v0 = 0, v1 = 1, v2 = 2 };

// "name" or "name=value", in the server's order; a name may come more than once (symref).
class Capabilities {
 public:
  void add(std::string_view item);
  bool has(std::string_view name) const;
  // The value of the first of that name; empty without one.
  std::string_view value(std::string_view name) const;
  // Whether the value of `name`, words with spaces between, holds `word` (v2: fetch=shallow filter …).
  bool has_word(std::string_view name, std::string_view word) const;
  std::size_t size() const { return items_.size(); }
  const std::vector<std::pair<std::string, std::string>>& items() const { return items_; }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

struct Greeting {
  ProtocolVersion version = ProtocolVersion::v0;
  Capabilities capabilities;
  RemoteRefs refs;           // v0 and v1 only: all that the server advertises
  std::vector<Oid> shallow;  // v0 and v1 only: the server's own boundary
};

Greeting read_greeting(base::PacketReader& reader);

// The next packet; an "ERR" packet is thrown as ErrorCode::remote with the server's words, cleaned.
base::Packet next_reply(base::PacketReader& reader);

// Throws an "ERR" packet as next_reply() does.
void throw_if_error(const base::Packet& packet);

// Throws ErrorCode::protocol "protocol error: unexpected '<what>'", cleaned and cut.
[[noreturn]] void throw_unexpected(std::string_view what);

// An id at the start of `text`, taken off it with the one space that follows (if any); throws ErrorCode::protocol.
Oid take_oid(std::string_view& text);

}  // namespace pfetch::transport
