// A Connection that plays a script and remembers what was sent.
#pragma once

#include <string>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/transport/script_source.h"
#include "transport/connection.h"

namespace pfetch::test {

class FakeConnection : public transport::Connection {
 public:
  // What was sent goes to `sent`, which must outlive the connection.
  FakeConnection(std::string script, std::size_t piece_bytes, std::string& sent)
      : source_(std::move(script), piece_bytes), sent_(sent) {}

  std::size_t read(std::span<std::byte> into) override { return source_.read(into); }
  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte> second) override {
    const std::size_t got = source_.read(first);
    return got < first.size() ? got : got + source_.read(second);
  }
  void write(base::Bytes bytes) override { sent_.append(base::as_text(bytes)); }
  void finish() override { sent_ += "<finished>"; }

 private:
  ScriptSource source_;
  std::string& sent_;
};

// Everything that a source still gives, read in pieces of `piece_bytes`.
inline std::string read_all(base::ByteSource& source, std::size_t piece_bytes = 7) {
  std::string all;
  std::string piece(piece_bytes, '\0');
  while (const std::size_t got = source.read(std::as_writable_bytes(std::span(piece)))) all.append(piece, 0, got);
  return all;
}

}  // namespace pfetch::test
