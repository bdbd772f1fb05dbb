#include "transport/handshake.h"

#include <algorithm>

#include "base/error.h"
#include "object/ref_name.h"
#include "transport/sideband.h"

namespace pfetch::transport {

namespace {

constexpr std::size_t capabilities_max = 4096;
constexpr std::size_t capability_bytes_max = std::size_t{1} << 20;  // of all together
constexpr std::size_t shallow_lines_max = 50'000'000;
constexpr std::size_t shown_bytes_max = 200;
constexpr std::string_view peeled_suffix = "^{}";

void require_sha1(const Capabilities& capabilities) {
  const std::string_view format = capabilities.value("object-format");
  if (format.empty() || format == "sha1") return;
  throw Error(ErrorCode::unsupported,
              "the remote repository uses the object format '" + cleaned(format) + "'; pfetch knows only sha1");
}

base::Packet next_greeting_packet(base::PacketReader& reader) {
  base::Packet packet = reader.next_or_end();
  if (packet.kind == base::PacketKind::end_of_stream) {
    throw Error(ErrorCode::remote, "the remote end hung up upon initial contact");
  }
  throw_if_error(packet);
  return packet;
}

base::Packet first_packet(base::PacketReader& reader) {
  base::Packet packet = reader.next_or_end();
  if (packet.kind == base::PacketKind::end_of_stream) {
    throw Error(ErrorCode::remote,
                "Could not read from remote repository.\n\n"
                "Please make sure you have the correct access rights\nand the repository exists.");
  }
  throw_if_error(packet);
  return packet;
}

void read_v2(base::PacketReader& reader, Greeting& greeting) {
  for (std::size_t bytes = 0;;) {
    const base::Packet packet = next_greeting_packet(reader);
    if (packet.kind == base::PacketKind::flush) break;
    if (packet.kind != base::PacketKind::data) throw_unexpected("a delimiter among the capabilities");
    bytes += packet.text().size();
    if (greeting.capabilities.size() >= capabilities_max || bytes > capability_bytes_max) {
      throw_unexpected("too many capabilities");
    }
    greeting.capabilities.add(packet.text());
  }
  require_sha1(greeting.capabilities);
}

// Reads the lines of a v0 advertisement, one by one.
class Advertisement {
 public:
  explicit Advertisement(Greeting& greeting) : greeting_(greeting) {}

  void line(std::string_view text) {
    if (text.starts_with("shallow ")) return shallow_line(text.substr(8));
    const auto nul = text.find('\0');
    if (nul != std::string_view::npos) {
      if (is_first_) add_capabilities(text.substr(nul + 1));
      text = text.substr(0, nul);
    }
    is_first_ = false;
    ref_line(text);
  }

 private:
  void add_capabilities(std::string_view words) {
    while (!words.empty()) {
      const auto space = std::min(words.find(' '), words.size());
      if (space > 0) greeting_.capabilities.add(words.substr(0, space));
      words.remove_prefix(std::min(space + 1, words.size()));
    }
    require_sha1(greeting_.capabilities);
    for (const auto& [name, value] : greeting_.capabilities.items()) {
      const auto colon = value.find(':');
      if (name == "symref" && colon != std::string::npos) {
        symrefs_.emplace_back(value.substr(0, colon), value.substr(colon + 1));
        if (symrefs_.back().first == "HEAD") greeting_.refs.head_is_symbolic = true;
        if (symrefs_.back().first == "HEAD" && object::is_valid_ref_name(symrefs_.back().second)) {
          greeting_.refs.head_target = symrefs_.back().second;
        }
      }
    }
  }

  void shallow_line(std::string_view text) {
    const Oid id = take_oid(text);
    if (!text.empty()) throw_unexpected(text);
    if (greeting_.shallow.size() >= shallow_lines_max) throw_unexpected("too many shallow lines");
    greeting_.shallow.push_back(id);
  }

  void ref_line(std::string_view text) {
    const std::string_view whole = text;
    const Oid id = take_oid(text);
    if (text.empty()) throw_unexpected(whole);
    if (text == ".have" || (text == "capabilities^{}" && id.is_null())) return;
    auto& refs = greeting_.refs.refs;
    if (text.ends_with(peeled_suffix)) {
      text.remove_suffix(peeled_suffix.size());
      // Of a ref that was ignored for its name the peeled line has nowhere to go.
      if (!refs.empty() && refs.back().name == text) refs.back().peeled = id;
      return;
    }
    std::string target;
    for (const auto& [name, value] : symrefs_) {
      if (name == text) target = value;
    }
    greeting_.refs.add({std::string(text), id, std::nullopt, std::move(target)});
  }

  Greeting& greeting_;
  std::vector<std::pair<std::string, std::string>> symrefs_;
  bool is_first_ = true;
};

void read_v0(base::PacketReader& reader, base::Packet packet, Greeting& greeting) {
  Advertisement advertisement(greeting);
  while (packet.kind != base::PacketKind::flush) {
    if (packet.kind != base::PacketKind::data) throw_unexpected("a delimiter among the refs");
    advertisement.line(packet.text());
    packet = next_greeting_packet(reader);
  }
}

}  // namespace

void Capabilities::add(std::string_view item) {
  const auto equals = std::min(item.find('='), item.size());
  items_.emplace_back(item.substr(0, equals), item.substr(std::min(equals + 1, item.size())));
}

bool Capabilities::has(std::string_view name) const {
  return std::any_of(items_.begin(), items_.end(), [&](const auto& item) { return item.first == name; });
}

std::string_view Capabilities::value(std::string_view name) const {
  const auto at = std::find_if(items_.begin(), items_.end(), [&](const auto& item) { return item.first == name; });
  return at == items_.end() ? std::string_view() : std::string_view(at->second);
}

bool Capabilities::has_word(std::string_view name, std::string_view word) const {
  std::string_view words = value(name);
  while (!words.empty()) {
    const auto space = std::min(words.find(' '), words.size());
    if (words.substr(0, space) == word) return true;
    words.remove_prefix(std::min(space + 1, words.size()));
  }
  return false;
}

Greeting read_greeting(base::PacketReader& reader) {
  Greeting greeting;
  base::Packet packet = first_packet(reader);
  const bool names_version = packet.kind == base::PacketKind::data && packet.text().starts_with("version ");
  if (names_version) {
    const std::string version(packet.text().substr(8));
    if (version == "2") {
      greeting.version = ProtocolVersion::v2;
      read_v2(reader, greeting);
      return greeting;
    }
    if (version != "1" && version != "0") {
      throw Error(ErrorCode::protocol, "server is speaking an unknown protocol (version '" + cleaned(version) + "')");
    }
    greeting.version = version == "1" ? ProtocolVersion::v1 : ProtocolVersion::v0;
    packet = next_greeting_packet(reader);
  }
  read_v0(reader, packet, greeting);
  return greeting;
}

void throw_if_error(const base::Packet& packet) {
  if (packet.kind != base::PacketKind::data || !packet.payload.starts_with("ERR ")) return;
  throw Error(ErrorCode::remote, "remote error: " + cleaned(packet.text().substr(4)));
}

base::Packet next_reply(base::PacketReader& reader) {
  base::Packet packet = reader.next();
  throw_if_error(packet);
  return packet;
}

void throw_unexpected(std::string_view what) {
  throw Error(ErrorCode::protocol, "protocol error: unexpected '" + cleaned(what.substr(0, shown_bytes_max)) + "'");
}

Oid take_oid(std::string_view& text) {
  const auto id = Oid::from_hex(text.substr(0, Oid::hex_size));
  if (!id) throw_unexpected(text);
  std::string_view rest = text.substr(Oid::hex_size);
  if (!rest.empty() && rest.front() != ' ') throw_unexpected(text);
  text = rest.empty() ? rest : rest.substr(1);
  return *id;
}

}  // namespace pfetch::transport
