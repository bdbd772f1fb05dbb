#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/bytes.h"

namespace pfetch::cli {

namespace {

using std::chrono::milliseconds;
constexpr milliseconds tick_min{100};
constexpr milliseconds tick_max{1600};       // while nothing moves
constexpr std::chrono::seconds patience{2};  // as in git

void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // nobody listens
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string human_bytes(double bytes) {
  for (const char* unit : {"bytes", "KiB", "MiB"}) {
    if (bytes < 1024) return fmt::format("{:.{}f} {}", bytes, unit[0] == 'b' ? 0 : 2, unit);
    bytes /= 1024;
  }
  return fmt::format("{:.2f} GiB", bytes);
}

unsigned percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 100 : static_cast<unsigned>(part * 100 / whole);
}

std::string filtering(const session::ProgressFigures& now) {
  return fmt::format("; Filtering content: {:3}% ({}/{})", percent(now.files_filtered, now.files_to_filter),
                     now.files_filtered, now.files_to_filter);
}

}  // namespace

Terminal::Terminal(const TerminalOptions& options, session::Progress& progress)
    : options_(options), progress_(progress) {
  if (options_.progress && !options_.quiet) thread_ = std::thread([this] { draw_loop(); });
}

Terminal::~Terminal() {
  finish();
}

void Terminal::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
  const std::lock_guard lock(mutex_);
  draw();
  if (drawn_ != 0) put("\n");
  drawn_ = 0;
}

void Terminal::print(std::string_view prefix, std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_line();
  std::string lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.append(prefix).append(text.substr(0, end)).append("\n");
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  put(lines);
}

void Terminal::say(std::string_view text) {
  if (!options_.quiet) print("", text);
}

void Terminal::warn(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_line();
  put(fmt::format("warning: {}\n", text));
}

void Terminal::complain(std::string_view text) {
  error("error: ", text);
}

void Terminal::remote(std::string_view text, char end) {
  if (options_.quiet) return;
  if (end == '\r') return;  // its progress lines would fight with ours
  print("remote: ", text.empty() ? " " : text);
}

void Terminal::yield_terminal(bool yielded) {
  const std::lock_guard lock(mutex_);
  yielded_ = yielded;
  clear_line();
}

void Terminal::error(std::string_view prefix, std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_line();
  put(fmt::format("{}{}\n", prefix, text));
}

void Terminal::clear_line() {
  if (drawn_ == 0) return;
  put("\r" + std::string(drawn_, ' ') + "\r");
  drawn_ = 0;
}

void Terminal::draw_loop() {
  auto tick = tick_min;
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, tick, [this] { return stopping_; })) {
    const std::string before = last_line_;
    draw();
    tick = last_line_ == before ? std::min(tick * 2, tick_max) : tick_min;
  }
}

// All that moves at the same time, in one line.
std::string Terminal::figures_line(const session::ProgressFigures& now) {
  using Seconds = std::chrono::duration<double>;
  if (first_bytes_ == Clock::time_point{} && now.bytes_received != 0) first_bytes_ = Clock::now();
  if (now.bytes_received != last_bytes_) last_bytes_at_ = Clock::now();
  last_bytes_ = now.bytes_received;
  const double seconds = std::max(0.001, Seconds(last_bytes_at_ - first_bytes_).count());
  const auto received = static_cast<double>(now.bytes_received);
  std::string line =
      fmt::format("Receiving objects: {:3}% ({}/{}), {} | {}/s", percent(now.objects_scanned, now.objects_claimed),
                  now.objects_scanned, now.objects_claimed, human_bytes(received), human_bytes(received / seconds));
  line += fmt::format("; resolved {}", now.objects_resolved);
  if (now.writing) {
    line += fmt::format("; files {}/{}, {}", now.files_written, now.files_planned,
                        human_bytes(static_cast<double>(now.bytes_written)));
  }
  if (now.files_to_filter != 0) line += filtering(now);
  return line;
}

// A worktree that is there, with the pace and what is left.
std::string Terminal::update_line(const session::ProgressFigures& now) {
  using Seconds = std::chrono::duration<double>;
  if (first_files_ == Clock::time_point{}) first_files_ = Clock::now();
  const double seconds = std::max(0.001, Seconds(Clock::now() - first_files_).count());
  const auto written = static_cast<double>(now.files_written);
  std::string line = fmt::format("Updating files: {:3}% ({}/{}), {} | {:.0f} files/s",
                                 percent(now.files_written, now.files_planned), now.files_written, now.files_planned,
                                 human_bytes(static_cast<double>(now.bytes_written)), written / seconds);
  if (now.files_written < now.files_planned && written > 0) {
    const auto left = static_cast<double>(now.files_planned - now.files_written);
    line += fmt::format(", {:.0f} s left", left * seconds / written);
  }
  if (now.files_to_filter != 0) line += filtering(now);
  return line;
}

void Terminal::draw() {
  if (yielded_ || (options_.patient && Clock::now() - start_ < patience)) return;
  const session::ProgressFigures now = progress_.figures();
  if (now.known) {
    figures_ = figures_line(now);
  } else if (now.updating) {
    figures_ = update_line(now);
  }
  // What comes before and after the pack is named by its stage; the figures stay.
  std::string line = figures_;
  if (line.empty()) {
    line = now.stage;
  } else if (!now.receiving) {
    line += ", done.";
  }
  if (line == last_line_ && drawn_ != 0) return;
  const std::size_t width = line.size();
  const std::string pad(drawn_ > width ? drawn_ - width : 0, ' ');
  put("\r" + line + pad);
  drawn_ = width;
  last_line_ = line;
}

}  // namespace pfetch::cli
