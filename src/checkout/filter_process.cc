#include "checkout/filter_process.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/stream_io.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t shown_bytes_max = 80;  // of what a filter said, in a message

[[noreturn]] void throw_unexpected(std::string_view line, std::string_view expected) {
  throw Error(ErrorCode::protocol,
              fmt::format("unexpected '{}' from the filter, expected {}", line.substr(0, shown_bytes_max), expected));
}

class ChildChannel : public FilterChannel {
 public:
  ChildChannel(base::Process child, const base::Cancellation& cancel) : cancel_(cancel), child_(std::move(child)) {}

  std::size_t read(std::span<std::byte> into) override {
    return base::read_stream(child_.out.get(), into, {}, cancel_, "filter");
  }

  void send(base::Bytes bytes) override {
    if (base::write_stream(child_.in.get(), bytes, cancel_, "filter") < bytes.size()) {
      throw Error(ErrorCode::remote, "the filter hung up");
    }
  }

  void finish() override {
    child_.in.reset();
    child_.out.reset();
    base::wait_for_exit(child_, cancel_);  // what it says at the end is its own business: all files have been answered
  }

 private:
  const base::Cancellation& cancel_;
  base::Process child_;
};

// The part behind `key` and '=', if that is how the line begins.
bool take_value(std::string_view line, std::string_view key, std::string& value) {
  if (!line.starts_with(key) || line.size() == key.size() || line[key.size()] != '=') return false;
  value = line.substr(key.size() + 1);
  return true;
}

}  // namespace

std::unique_ptr<FilterChannel> start_filter_channel(const std::string& command, const FilterPlace& place,
                                                    const base::Cancellation& cancel) {
  return std::make_unique<ChildChannel>(start_filter(command, place), cancel);
}

FilterProcess::FilterProcess(FilterChannel& channel, FilterOrigin origin)
    : channel_(channel), reader_(channel), origin_(std::move(origin)) {
  writer_.line("git-filter-client");
  writer_.line("version=2");
  writer_.flush();
  send();
  const auto greeting = read_lines(filter_lines_max);
  if (greeting.empty() || greeting[0] != "git-filter-server") {
    throw_unexpected(greeting.empty() ? "" : greeting[0], "'git-filter-server'");
  }
  if (greeting.size() != 2 || greeting[1] != "version=2") {
    throw_unexpected(greeting.size() < 2 ? "" : greeting[1], "'version=2'");
  }
  for (const char* capability : {"clean", "smudge", "delay"}) {
    writer_.line(fmt::format("capability={}", capability));
  }
  writer_.flush();
  send();
  for (const std::string& line : read_lines(filter_lines_max)) {
    if (line == "capability=clean") cleans_ = true;
    if (line == "capability=smudge") smudges_ = true;
    if (line == "capability=delay") delays_ = true;
  }
}

void FilterProcess::send() {
  channel_.send(writer_.bytes());
  writer_.clear();
}

void FilterProcess::send_content(std::string_view content) {
  while (!content.empty()) {
    const std::string_view piece = content.substr(0, base::packet_payload_max);
    writer_.data(piece);
    send();
    content.remove_prefix(piece.size());
  }
  writer_.flush();
  send();
}

std::vector<std::string> FilterProcess::read_lines(std::size_t lines_max) {
  std::vector<std::string> lines;
  for (;;) {
    const base::Packet packet = reader_.next();
    if (packet.kind == base::PacketKind::flush) return lines;
    if (packet.kind != base::PacketKind::data) throw_unexpected("", "a line or a flush");
    if (lines.size() == lines_max) throw Error(ErrorCode::protocol, "the filter's list is too long");
    lines.emplace_back(packet.text());
  }
}

// The last one of a list counts; `before`, if there is none.
std::string FilterProcess::read_status(std::string before) {
  for (const std::string& line : read_lines(filter_lines_max)) take_value(line, "status", before);
  return before;
}

void FilterProcess::read_content(const std::function<void(base::Bytes)>& put) {
  std::vector<std::byte> buffer(base::packet_payload_max);
  for (;;) {
    const base::PacketKind kind = reader_.open();
    if (kind == base::PacketKind::flush) return;
    if (kind != base::PacketKind::data) throw_unexpected("", "content or a flush");
    while (reader_.payload_left() != 0) put({buffer.data(), reader_.read_payload(buffer)});
  }
}

FilterStatus FilterProcess::clean(std::string_view path, std::string_view content,
                                  const std::function<void(base::Bytes)>& put) {
  writer_.line("command=clean");
  writer_.line(fmt::format("pathname={}", path));
  return exchange(content, false, put);
}

FilterStatus FilterProcess::smudge(const SmudgeRequest& request, std::string_view content,
                                   const std::function<void(base::Bytes)>& put) {
  writer_.line("command=smudge");
  writer_.line(fmt::format("pathname={}", request.path));
  if (!origin_.ref.empty()) writer_.line(fmt::format("ref={}", origin_.ref));
  if (!origin_.treeish.empty()) writer_.line(fmt::format("treeish={}", origin_.treeish));
  writer_.line(fmt::format("blob={}", request.blob.hex()));
  if (request.can_delay) writer_.line("can-delay=1");
  return exchange(content, request.can_delay, put);
}

// What asks for it has been written.
FilterStatus FilterProcess::exchange(std::string_view content, bool can_delay,
                                     const std::function<void(base::Bytes)>& put) {
  writer_.flush();
  send_content(content);

  std::string status = read_status("");
  if (status == "success") {
    read_content(put);
    status = read_status(status);
  }
  if (status == "success") return FilterStatus::success;
  if (status == "delayed" && can_delay) return FilterStatus::delayed;
  if (status == "error") return FilterStatus::error;
  if (status == "abort") return FilterStatus::abort;
  throw_unexpected("status=" + status, "success, error or abort");
}

std::vector<std::string> FilterProcess::available(std::size_t paths_max) {
  writer_.line("command=list_available_blobs");
  writer_.flush();
  send();
  std::vector<std::string> paths;
  for (const std::string& line : read_lines(paths_max + filter_lines_max)) {
    std::string path;
    if (take_value(line, "pathname", path)) paths.push_back(std::move(path));
  }
  const std::string status = read_status("");
  if (paths.size() > paths_max || status != "success") throw_unexpected("status=" + status, "a list of delayed paths");
  return paths;
}

}  // namespace pfetch::checkout
