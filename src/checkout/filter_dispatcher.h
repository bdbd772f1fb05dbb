// Brings files through one long-running filter, in one direction: starts it with the first file, talks to it about one
// after the other, fetches what it has delayed, and ends it. And through one-shot filters, which is simpler.
//
// A filter that fails loses only its own files, and tells each why. One that hangs up is started again for the next
// file; what it had delayed is lost. One that cannot even shake hands, or that says `abort`, is not tried again.
//
// One thread at a time. Throws what the channel and the files throw (ErrorCode::cancelled, ErrorCode::io); the filter
// is then started again for the next file, if there is one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkout/filter.h"
#include "checkout/filter_process.h"

namespace pfetch::checkout {

// A file on its way through a filter. Exactly one of succeed, fail and leave is called, last.
class FilteredFile {
 public:
  virtual ~FilteredFile() = default;

  virtual std::string_view path() const = 0;
  virtual object::Oid blob() const = 0;        // asked for on the way to the worktree only
  virtual std::string content() = 0;           // what goes in; read again with each call
  virtual void put(base::Bytes piece) = 0;     // what comes out
  virtual void succeed() = 0;                  // all has come out
  virtual void fail(std::string reason) = 0;   // what came out does not count
  virtual void leave(std::string reason) = 0;  // the filter has nothing to say about this direction
};

class FilterDispatcher {
 public:
  using Start = std::function<std::unique_ptr<FilterChannel>()>;

  FilterDispatcher(std::string command, FilterOrigin origin, Start start,
                   FilterDirection direction = FilterDirection::smudge)
      : command_(std::move(command)), origin_(std::move(origin)), start_(std::move(start)), direction_(direction) {}

  // Brings one file through, or has it delayed: then it must outlive `finish`.
  void take(FilteredFile& file);
  // Fetches what has been delayed, and ends the filter. Files may follow; they start it again.
  void finish();

  // All of them, in this order except for what is delayed.
  void run(const std::vector<FilteredFile*>& files);

 private:
  bool is_ready();
  void exchange(FilteredFile& file, std::string_view content, bool can_delay);
  void fetch_delayed();
  void fetch(const std::vector<std::string>& paths);
  void lose(const std::string& why);
  std::string reason(std::string_view why) const;

  const std::string command_;
  const FilterOrigin origin_;
  const Start start_;
  const FilterDirection direction_;
  std::unique_ptr<FilterChannel> channel_;
  std::unique_ptr<FilterProcess> process_;  // null: not started, or lost
  std::optional<std::string> given_up_;     // why it is not tried again
  std::map<std::string, FilteredFile*, std::less<>> delayed_;
};

// The same by a command that is started for this file alone, as the driver has it. Thread safe.
void run_filter_program(FilteredFile& file, const std::string& driver_command, const FilterPlace& place,
                        const base::Cancellation& cancel);

}  // namespace pfetch::checkout
