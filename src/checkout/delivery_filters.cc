// The files that have a filter: who runs which, and what becomes of those that fail.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/thread_group.h"
#include "base/trace.h"
#include "checkout/delivery.h"
#include "checkout/pending_file.h"
#include "object/must_read.h"

namespace pfetch::checkout {

// A slot on its way through its filter. Belongs to one thread at a time.
class Delivery::Filtered : public FilteredFile {
 public:
  Filtered(Delivery& delivery, FileSlot& file)
      : delivery_(delivery),
        file_(file),
        path_(path_of(file)),
        treatment_(delivery.treatment_of(file)),
        pending_(delivery.directories_, file, delivery.options_.times) {}

  const FilterChoice& filter() const { return treatment_.filter; }
  std::string_view path() const override { return path_; }
  object::Oid blob() const override { return file_.id(); }

  std::string content() override {
    const object::Object blob = read();
    std::string text;
    const base::Bytes content = delivery_.convert(file_, blob.bytes.view(), treatment_.conversion, text);
    if (content.data() == base::as_bytes(text).data()) return text;
    return std::string(base::as_text(content));
  }

  void put(base::Bytes piece) override { pending_.put(piece); }

  void succeed() override { finish(); }

  void fail(std::string reason) override {
    failure_ = FilterFailure{path_, *filter().name, std::move(reason), filter().driver->required};
    write_unfiltered();
  }

  void leave(std::string reason) override {
    if (filter().driver->required) {
      fail(std::move(reason));
    } else {
      write_unfiltered();
    }
  }

  const std::optional<FilterFailure>& failure() const { return failure_; }

 private:
  object::Object read() {
    try {
      return object::must_read(delivery_.source_, file_.id(), object::Kind::blob);
    } catch (Error& error) {
      if (error.code() == ErrorCode::corrupt) error.add_context(fmt::format("cannot check out '{}'", path_));
      throw;
    }
  }

  void write_unfiltered() {
    if (filter().driver->required) {
      pending_.abandon();
      done();
      return;
    }
    pending_.start_over();
    pending_.put(base::as_bytes(content()));
    finish();
  }

  void finish() {
    const Written written = pending_.finish();
    delivery_.note_written(file_, written, pending_.size());
    done();
  }

  void done() { delivery_.counters_.files_filtered.fetch_add(1, std::memory_order_relaxed); }

  Delivery& delivery_;
  FileSlot& file_;
  const std::string path_;
  const Treatment treatment_;
  PendingFile pending_;
  std::optional<FilterFailure> failure_;
};

std::vector<FilterFailure> Delivery::run_filters(const FilterPlace& place, const FilterOrigin& origin) {
  const base::TraceSpan span("filter content");
  std::vector<std::unique_ptr<Filtered>> files;
  for (FileSlot* file : std::exchange(filtered_, {})) files.push_back(std::make_unique<Filtered>(*this, *file));
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a->path() < b->path(); });
  counters_.files_to_filter.store(files.size());

  std::vector<Filtered*> one_shot;
  std::map<std::string, std::vector<FilteredFile*>> long_running;  // by command: drivers with the same share a process
  for (const auto& file : files) {
    const FilterChoice& filter = file->filter();
    if (filter.kind == FilterChoice::Kind::process) {
      long_running[*filter.driver->process].push_back(file.get());
    } else if (filter.kind == FilterChoice::Kind::program) {
      one_shot.push_back(file.get());
    } else {
      file->leave(fmt::format("filter.{}.smudge is not set", *filter.name));
    }
  }

  base::ThreadGroup threads(cancel_);
  for (const auto& lane : long_running) {
    threads.start("filter process", [this, &lane, &place, &origin] {
      const std::string& command = lane.first;
      FilterDispatcher(command, origin, [&] { return start_filter_channel(command, place, cancel_); }).run(lane.second);
    });
  }
  std::atomic<std::size_t> next{0};
  for (unsigned i = 0; i < std::min<std::size_t>(options_.filter_jobs, one_shot.size()); ++i) {
    threads.start(fmt::format("filter {}", i + 1), [&] {
      for (std::size_t at = next++; at < one_shot.size(); at = next++) {
        run_filter_program(*one_shot[at], *one_shot[at]->filter().driver->smudge, place, cancel_);
      }
    });
  }
  threads.join();

  std::vector<FilterFailure> failures;
  for (const auto& file : files) {
    if (file->failure()) failures.push_back(*file->failure());
  }
  return failures;
}

}  // namespace pfetch::checkout
