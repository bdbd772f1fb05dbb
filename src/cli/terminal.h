// What the user sees: messages and progress, on standard error. The only writer to the terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "session/progress.h"
#include "session/reporter.h"

namespace pfetch::cli {

struct TerminalOptions {
  bool quiet = false;
  bool progress = false;  // draw it
  bool patient = false;   // but not what is over in two seconds
};

class Terminal : public session::Reporter {
 public:
  Terminal(const TerminalOptions& options, session::Progress& progress);
  ~Terminal() override;

  void say(std::string_view text) override;
  void warn(std::string_view text) override;
  void complain(std::string_view text) override;
  void remote(std::string_view text, char end) override;
  void yield_terminal(bool yielded) override;
  // Also when quiet.
  void error(std::string_view prefix, std::string_view text);

  // Draws the last state and ends the progress line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void print(std::string_view prefix, std::string_view text);
  void draw_loop();
  void draw();
  std::string figures_line(const session::ProgressFigures& now);
  std::string update_line(const session::ProgressFigures& now);
  void clear_line();

  const TerminalOptions options_;
  const Clock::time_point start_ = Clock::now();
  session::Progress& progress_;
  std::mutex mutex_;  // guards all below, and standard error
  std::condition_variable stop_;
  bool stopping_ = false;
  bool yielded_ = false;
  std::size_t drawn_ = 0;  // columns of the progress line that is on the screen
  std::string last_line_;
  std::uint64_t last_bytes_ = 0;
  std::string figures_;  // the last line of figures
  Clock::time_point first_bytes_{};
  Clock::time_point last_bytes_at_{};
  Clock::time_point first_files_{};
  std::thread thread_;
};

}  // namespace pfetch::cli
