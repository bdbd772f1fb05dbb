// How commands speak to whoever runs them. The library never prints; `cli` implements this. Any thread.
#pragma once

#include <string_view>

namespace pfetch::session {

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void say(std::string_view text) = 0;       // "Cloning into 'x'..."; left out when quiet
  virtual void warn(std::string_view text) = 0;      // without the word "warning"
  virtual void complain(std::string_view text) = 0;  // "error: …", and the work goes on; without the word "error"
  // The other side's words, cleaned. `end` is '\n', '\r' (the next line overwrites this one) or 0 (cut short).
  virtual void remote(std::string_view text, char end) = 0;
  // True: another program asks the user something, so nothing may be drawn; false: it has its answer.
  virtual void yield_terminal(bool yielded) = 0;
};

}  // namespace pfetch::session
