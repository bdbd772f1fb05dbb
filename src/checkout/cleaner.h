// From files of the worktree to what the repository stores of them, as `git add` and `git status` see it: first the
// filter, then the other conversions (checkout/clean). Nothing is read or written here but the filters' pipes.
//
// Thread safe. A long-running filter has one exchange at a time, so who needs the same one waits; it is started with
// its first file. One-shot filters run as many at once as there are callers.
//
// A filter that fails loses only its own files. If it is required, the file is refused; otherwise the other conversions
// get the file as it is.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "checkout/attributes.h"
#include "checkout/clean.h"
#include "checkout/filter_child.h"

namespace pfetch::checkout {

struct CleanerOptions {
  ConvertConfig convert;
  CleanRules rules;
  FilterDrivers drivers;  // configured filter.<name>.*
  FilterPlace place;      // where they run
};

class Cleaner {
 public:
  // `cancel` must outlive this.
  Cleaner(CleanerOptions options, const base::Cancellation& cancel);
  // Long-running filters that have not been finished are ended by SIGTERM.
  ~Cleaner();

  struct File {
    std::string_view path;  // from the top of the worktree
    std::string_view content;
    const Attributes& attributes;
    IndexBlob index_blob;  // may be null
  };
  // Throws ErrorCode::config for a working-tree-encoding without a value, ErrorCode::refused for a result that is too
  // large, ErrorCode::cancelled, ErrorCode::io, and what `index_blob` throws.
  Cleaned clean(const File& file);

  // Lets the long-running filters end, and waits for them. Files may follow.
  void finish();

 private:
  struct Lane;  // of one long-running filter

  void run_filter(const File& file, Cleaned& cleaned);
  Lane& lane_of(const std::string& command);

  const CleanerOptions options_;
  const base::Cancellation& cancel_;
  std::mutex lanes_mutex_;                                           // guards the map, not the lanes
  std::map<std::string, std::unique_ptr<Lane>, std::less<>> lanes_;  // by command: drivers may share one
};

}  // namespace pfetch::checkout
