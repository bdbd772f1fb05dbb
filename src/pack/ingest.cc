#include "pack/ingest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/error.h"
#include "base/ring.h"
#include "base/thread_group.h"
#include "base/trace.h"
#include "pack/delta_resolver.h"
#include "pack/entry_scanner.h"
#include "pack/receiver.h"
#include "pack/thin_completer.h"
#include "pack/work_queue.h"

namespace pfetch::pack {

namespace {

constexpr std::size_t ring_bytes = std::size_t{4} << 20;  // mapped twice, and so counted twice
constexpr WorkQueue::Budgets queue_budgets = {std::uint64_t{8} << 20, std::uint64_t{128} << 20};

base::UniqueFd open_pack(const IngestOptions& options, std::string& path) {
  if (options.existing_file.empty()) return create_temporary(options.pack_directory, "tmp_pack_", path);
  path = options.existing_file;
  return base::open_file(path, O_RDONLY);
}

}  // namespace

base::UniqueFd create_temporary(const std::string& directory, const std::string& prefix, std::string& path) {
  path = directory + "/" + prefix + "XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) throw_errno(errno, "unable to create temporary file", path);
  return base::UniqueFd(fd);
}

Ingest::Ingest(const IngestOptions& options, base::Cancellation& cancel) : options_(options), cancel_(cancel) {
  std::string path;
  base::UniqueFd fd = open_pack(options_, path);
  if (options_.existing_file.empty()) remove_ = base::RemoveOnFailure(path, base::RemoveOnFailure::What::file);
  // Git makes no deltas of what is over the threshold. Ours may be lower than the sender's, so the default is let in.
  const std::uint64_t delta_result_max = std::max(options_.big_file_threshold, IngestOptions().big_file_threshold);
  pack_ = std::make_unique<ArrivingPack>(std::move(fd), path,
                                         ArrivingPackLimits{options_.base_cache_bytes, delta_result_max}, counters_);
}

void Ingest::run(base::ByteSource& source, const std::vector<object::ObjectSink*>& sinks) {
  try {
    run_stages(source, sinks);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::io, "out of memory");
  }
}

void Ingest::run_stages(base::ByteSource& source, const std::vector<object::ObjectSink*>& sinks) {
  base::Ring ring(ring_bytes);
  WorkQueue queue(queue_budgets);
  const bool writes = options_.existing_file.empty();
  Receiver receiver({writes ? pack_->fd() : -1, pack_->path(), options_.max_input_bytes}, source, ring, counters_);
  EntryScanner scanner({options_.big_file_threshold, options_.on_end}, ring, *pack_, queue);
  DeltaResolver resolver({*options_.hasher, options_.refuse_duplicates}, *pack_, queue, sinks);
  PackHeader header;
  {
    const base::Cancellation::Waker waker(cancel_, [&] {
      ring.abort();
      queue.abort();
    });
    base::ThreadGroup threads(cancel_);
    threads.start("receive", [&] { receiver.run(); });
    threads.start("scan", [&] {
      header = take_pack_header(ring);
      counters_.objects_claimed.store(header.objects, std::memory_order_relaxed);
      pack_->table().claim(header.objects);
      scanner.run(header.objects);
    });
    const unsigned workers =
        options_.workers != 0 ? options_.workers : std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 1; i <= workers; ++i) threads.start(fmt::format("worker {}", i), [&] { resolver.work(); });
    threads.join();
  }
  if (receiver.computed() != receiver.trailer()) {
    throw Error(ErrorCode::corrupt, "pack is corrupted (SHA1 mismatch): its checksum is not that of its bytes");
  }
  checksum_ = receiver.trailer();
  std::vector<EntryNumber> unresolved = resolver.unresolved();
  if (!unresolved.empty() && options_.thin_bases != nullptr) {
    const base::TraceSpan span("complete thin pack");
    ThinCompleter completer(*pack_, resolver, *options_.thin_bases, scanner.end_of_entries());
    appended_ = completer.run(unresolved);
    checksum_ = completer.checksum();
    unresolved = resolver.unresolved();
  }
  const auto missing = pack_->table().size() - counters_.objects_resolved.load();
  if (missing != 0) {
    std::string which;
    if (!unresolved.empty()) {
      const Entry& first = pack_->table()[unresolved.front()];
      which = fmt::format(": the base {} of the one at offset {} is missing", first.id.hex(), first.offset);
    }
    throw Error(ErrorCode::corrupt,
                fmt::format("pack has {} unresolved delta{}{}", missing, missing == 1 ? "" : "s", which));
  }
}

}  // namespace pfetch::pack
