// A Connection that plays a script and remembers what was sent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/transport/script_source.h"
#include "transport/connection.h"

namespace pfetch::test {

class FakeConnection : public transport::Connection {
 public:
  // What was sent goes to `sent`, which must outlive the connection.
  FakeConnection(std::string script, std::size_t piece_bytes, std::string& sent, bool is_stateless = false)
      : source_(std::move(script), piece_bytes), sent_(sent), is_stateless_(is_stateless) {}

  std::size_t read(std::span<std::byte> into) override { return source_.read(into); }
  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte> second) override {
    const std::size_t got = source_.read(first);
    return got < first.size() ? got : got + source_.read(second);
  }
  void write(base::Bytes bytes) override {
    if (is_stateless_) sent_ += "<request>";
    sent_.append(base::as_text(bytes));
  }
  void finish() override { sent_ += "<finished>"; }
  bool stateless() const override { return is_stateless_; }

 private:
  ScriptSource source_;
  std::string& sent_;
  bool is_stateless_;
};

// A network whose conversations are given one after the other: each restart() begins the next one. A
// script's end is the loss of the connection.
class FakeNetwork : public transport::Connection {
 public:
  FakeNetwork(std::vector<std::string> scripts, std::string& sent) : scripts_(std::move(scripts)), sent_(sent) {
    FakeNetwork::restart();
  }

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t got = source_->read(into);
    lost_ = got == 0;
    return got;
  }
  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte>) override { return read(first); }
  void write(base::Bytes bytes) override { sent_.append(base::as_text(bytes)); }
  void finish() override { sent_ += "<finished>"; }
  bool lost() const override { return lost_; }
  bool restarts() const override { return true; }
  void restart() override {
    lost_ = false;
    source_.emplace(scripts_.at(next_++), 100000);
    sent_ += "<begun>";
  }

 private:
  std::vector<std::string> scripts_;
  std::size_t next_ = 0;
  std::optional<ScriptSource> source_;
  std::string& sent_;
  bool lost_ = false;
};

// Everything that a source still gives, read in pieces of `piece_bytes`.
inline std::string read_all(base::ByteSource& source, std::size_t piece_bytes = 7) {
  std::string all;
  std::string piece(piece_bytes, '\0');
  while (const std::size_t got = source.read(std::as_writable_bytes(std::span(piece)))) all.append(piece, 0, got);
  return all;
}

}  // namespace pfetch::test
