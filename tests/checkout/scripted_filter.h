// A long-running filter whose answers are known beforehand; what it is sent is kept.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"
#include "checkout/filter_process.h"

namespace pfetch::test {

inline constexpr const char* flush = "0000";

inline std::string line(const std::string& text) {
  return fmt::format("{:04x}{}\n", text.size() + 5, text);
}

class ScriptedFilter : public checkout::FilterChannel {
 public:
  explicit ScriptedFilter(std::string answers) : answers_(std::move(answers)) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), answers_.size() - taken_);
    std::memcpy(into.data(), answers_.data() + taken_, count);
    taken_ += count;
    return count;
  }
  void send(base::Bytes bytes) override { sent += base::as_text(bytes); }
  void finish() override { finished = true; }

  std::string sent;
  bool finished = false;

 private:
  const std::string answers_;
  std::size_t taken_ = 0;
};

}  // namespace pfetch::test
