// Any bytes, cut anywhere, read as packets and as a side-banded pack: an Error or an end, never more.
#include "base/pkt_line.h"

#include <cstdint>

#include "base/error.h"
#include "tests/transport/fake_connection.h"
#include "transport/sideband.h"

namespace {

using namespace pfetch;

template <typename Source>
void read_packets(Source& source) {
  base::PacketReader reader(source);
  while (reader.next_or_end().kind != base::PacketKind::end_of_stream) {
  }
}

template <typename Source>
void read_pack(Source& source, bool has_sideband, std::size_t piece) {
  base::PacketReader reader(source);
  transport::PackStream stream(reader, has_sideband, [](std::string_view line, char) {
    for (const char c : line) {
      if (c == '\x1b' || c == '\r') __builtin_trap();
    }
  });
  test::read_all(stream, piece);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t cut = data[0] + 1U;
  const std::size_t piece = data[1] + 1U;
  const std::string script(reinterpret_cast<const char*>(data) + 2, size - 2);
  for (int way = 0; way < 3; ++way) {
    std::string sent;
    test::FakeConnection connection(script, cut, sent);
    test::ScriptSource source(script, cut);
    try {
      if (way == 0) read_packets(source);
      if (way == 1) read_pack(source, cut % 2 == 0, piece);
      if (way == 2) read_pack(static_cast<base::ScatterSource&>(connection), true, piece);
    } catch (const Error&) {
      // What is not the protocol is refused.
    }
  }
  return 0;
}
