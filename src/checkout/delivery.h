// The last stretch of a file's way: from its place in a plan and its blob, through the conversions and filters that its
// attributes ask for, into the worktree. Shared by the engine, which writes while a pack arrives, and the updater,
// which writes into a worktree that is there.
//
// Files and what their attributes need may come from many threads; `run_filters` and `write_links` from one, in this
// order, when all files have been given. Files whose filter is a program of the user's wait for `run_filters`; symlinks
// wait for `write_links`, so that nothing can be written through one. Errors: ErrorCode::io with the path,
// ErrorCode::corrupt for objects that are missing or of another kind, ErrorCode::config for attributes without sense.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "checkout/directory_writer.h"
#include "checkout/file_writer.h"
#include "checkout/filter.h"
#include "checkout/filter_dispatcher.h"
#include "checkout/plan.h"
#include "object/object_source.h"

namespace pfetch::checkout {

struct DeliveryOptions {
  std::string work_tree;  // exists
  bool symlinks = true;   // core.symlinks; without, a link becomes a file with its target as content
  ConvertConfig convert;
  FilterDrivers drivers;     // configured filter.<name>.*
  unsigned filter_jobs = 1;  // one-shot filters that run at once; a long-running one is always one
  InTheWay in_the_way = InTheWay::gives_way;
  FileTimes times = FileTimes::certain;
};

// Any thread; for progress and for the result.
struct CheckoutCounters {
  std::atomic<std::uint64_t> files_planned{0};
  std::atomic<std::uint64_t> files_written{0};
  std::atomic<std::uint64_t> bytes_written{0};
  std::atomic<std::uint64_t> written_receiving{0};  // blobs written the moment they were resolved
  std::atomic<std::uint64_t> replayed{0};           // files whose blob was read again
  std::atomic<std::uint64_t> files_to_filter{0};    // known when `run_filters` begins
  std::atomic<std::uint64_t> files_filtered{0};     // done with, well or not
};

// A file that its filter did not convert. Of a required filter it is missing from the worktree, otherwise it has been
// written as it is stored.
struct FilterFailure {
  std::string path;
  std::string filter;  // the driver's name
  std::string reason;
  bool required = false;
};

class Delivery {
 public:
  // All must outlive it.
  Delivery(const DeliveryOptions& options, object::ObjectSource& source, base::Cancellation& cancel);

  // How a blob becomes a file.
  struct Treatment {
    Conversion conversion;
    FilterChoice filter;
  };
  // Needs the attributes of the file's directory.
  Treatment treatment_of(const FileSlot& file) const;

  bool is_link(const FileSlot& file) const { return options_.symlinks && file.mode == object::mode_symlink; }
  void add_link(FileSlot& file, const base::SharedBytes& target);
  // True when the file has a filter, and waits for it from now on.
  bool keep_for_filter(FileSlot& file, const Treatment& treatment);
  void write(FileSlot& file, base::Bytes blob, const Conversion& conversion);
  // An empty directory, or the one that stands there.
  void make_submodule(FileSlot& file);
  // Straight from the source, in bounded memory; for files whose conversion changes nothing.
  void write_streamed(FileSlot& file);

  bool has_filtered() const { return !filtered_.empty(); }
  // Returns what the filters failed at, sorted by path.
  std::vector<FilterFailure> run_filters(const FilterPlace& place, const FilterOrigin& origin);
  // Returns how many there were.
  std::size_t write_links();

  // Files for which something stood there already, by another spelling of their name or by somebody else's hand. For
  // the one thread at the end.
  std::vector<FileSlot*>& collided() { return collided_; }
  // What could not be encoded and was written as it is stored, in words, sorted by path.
  std::vector<std::string> encoding_errors() const;

  DirectoryWriter& directories() { return directories_; }
  CheckoutCounters& counters() { return counters_; }
  const CheckoutCounters& counters() const { return counters_; }

 private:
  class Filtered;

  // The file's bytes before any filter: `blob`, or `text` if that had to be made.
  base::Bytes convert(const FileSlot& file, base::Bytes blob, const Conversion& conversion, std::string& text);
  void note_written(FileSlot& file, Written written, std::uint64_t bytes);
  void add_collided(FileSlot& file);

  const DeliveryOptions options_;
  object::ObjectSource& source_;
  base::Cancellation& cancel_;
  CheckoutCounters counters_;
  DirectoryWriter directories_;
  FileWriter files_;

  mutable std::mutex mutex_;  // guards all below
  std::vector<std::pair<FileSlot*, std::string>> links_;
  std::vector<FileSlot*> collided_;
  std::vector<FileSlot*> filtered_;
  std::map<std::string, std::string> encoding_errors_;  // by path
};

}  // namespace pfetch::checkout
