#include "transport/packet_trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <ctime>

#include "base/error.h"

namespace pfetch::transport {

namespace {

// Git pads the name of the source file to this column.
constexpr std::size_t source_column = 24;

std::string time_of_day() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  tm local{};
  ::localtime_r(&now.tv_sec, &local);
  return fmt::format("{:02}:{:02}:{:02}.{:06}", local.tm_hour, local.tm_min, local.tm_sec, now.tv_usec);
}

// The payload on one line: newlines left out, other bytes that are not printable as octal escapes.
std::string printable(std::string_view payload) {
  std::string text;
  for (const char c : payload) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '\n') continue;
    if (u >= 0x20 && u <= 0x7e) {
      text += c;
    } else {
      text += fmt::format("\\{:o}", u);
    }
  }
  return text;
}

}  // namespace

std::unique_ptr<PacketTrace> PacketTrace::open(std::string_view value, std::string program, std::string* warning) {
  if (value.empty() || value == "0" || value == "false") return nullptr;
  int fd = -1;
  base::UniqueFd owned;
  if (value == "1" || value == "true") {
    fd = STDERR_FILENO;
  } else if (value.size() == 1 && value[0] >= '2' && value[0] <= '9') {
    fd = value[0] - '0';
  } else if (value[0] == '/') {
    try {
      owned = base::open_file(std::string(value), O_WRONLY | O_APPEND | O_CREAT);
    } catch (const Error& error) {
      if (warning != nullptr) *warning = "could not open '" + std::string(value) + "' for tracing: " + error.message();
      return nullptr;
    }
    fd = owned.get();
  } else {
    if (warning != nullptr) {
      *warning = "unknown trace value for 'GIT_TRACE_PACKET': " + std::string(value) +
                 "; to trace into a file, set it to an absolute path (one that begins with /)";
    }
    return nullptr;
  }
  return std::unique_ptr<PacketTrace>(new PacketTrace(fd, std::move(owned), std::move(program)));
}

std::string PacketTrace::describe(std::string_view program, bool sent, base::PacketKind kind,
                                  std::string_view payload) {
  std::string text = printable(payload);
  if (kind == base::PacketKind::flush) text = "0000";
  if (kind == base::PacketKind::delim) text = "0001";
  if (kind == base::PacketKind::response_end) text = "0002";
  const bool is_band = !payload.empty() && payload[0] >= 1 && payload[0] <= 3;
  if (is_band || payload == "PACK ...") program = "sideband";
  return fmt::format("packet: {:>12}{} {}", program, sent ? '>' : '<', text);
}

base::PacketHook PacketTrace::hook() {
  return [this](bool sent, base::PacketKind kind, std::string_view payload) {
    const std::string line = fmt::format("{} {:<{}}{}\n", time_of_day(), "pkt_line.cc", source_column,
                                         describe(program_, sent, kind, payload));
    // One write, so that lines of several processes do not mix; a failure is not worth stopping for.
    [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
  };
}

}  // namespace pfetch::transport
