#include "pack/loose_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <set>
#include <thread>

#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/error.h"
#include "base/thread_group.h"
#include "base/trace.h"
#include "repo/paths.h"
#include "store/loose.h"

namespace pfetch::pack {

namespace {

using base::RemoveOnFailure;

constexpr mode_t loose_mode = 0444;

// A temporary file in a fan-out directory, which another may be making, or (git gc) removing, at the same time.
base::UniqueFd create_in(const std::string& directory, const repo::SharedMode& shared_mode, std::string& path) {
  for (int tries_left = 3;; --tries_left) {
    try {
      return create_temporary(directory, "tmp_obj_", path);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found || tries_left == 0) throw;
    }
    if (::mkdir(directory.c_str(), 0777) == 0) {
      shared_mode.adjust_path(directory);
    } else if (errno != EEXIST) {
      throw_errno(errno, "unable to create directory", directory);
    }
  }
}

// Gives the file its name unless there is one of that name, which then has the same content.
void link_or_rename(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0 || errno == EEXIST) {
    ::unlink(from.c_str());
  } else {
    base::rename_file(from, to);  // a file system without hard links
  }
}

// Writes objects one after the other; each thread has its own.
class Writer {
 public:
  Writer(ArrivingPack& pack, const LooseWriteOptions& options)
      : pack_(pack), options_(options), deflater_(options.level) {}

  // False when the object is here already.
  bool write(EntryNumber number) {
    const Entry& entry = pack_.table()[number];
    const std::string path = store::loose_object_path(options_.objects_directory, entry.id);
    // One that was left behind is young again, so that no `git gc` beside us takes it away.
    if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0) return false;
    if (options_.exists && options_.exists(entry.id)) return false;
    std::string temporary;
    const base::UniqueFd fd = create_in(repo::directory_of(path), options_.shared_mode, temporary);
    RemoveOnFailure remove(temporary, RemoveOnFailure::What::file);
    deflate_into(fd.get(), temporary, number);
    ::fchmod(fd.get(), loose_mode & ~base::current_umask());
    options_.shared_mode.adjust_file(fd.get(), temporary);
    if (options_.durable) base::sync_fd(fd.get(), temporary);
    link_or_rename(temporary, path);
    remove.dismiss();
    return true;
  }

 private:
  void deflate_into(int fd, const std::string& path, EntryNumber number) {
    const Entry& entry = pack_.table()[number];
    out_.clear();
    const auto add = [&](base::Bytes bytes, bool is_last) {
      deflater_.add(bytes, is_last, [&](base::Bytes deflated) {
        out_.append(base::as_text(deflated));
        if (out_.size() >= out_bytes_max) flush(fd, path);
      });
    };
    deflater_.reset();
    if (entry.streamed) {
      add(base::as_bytes(header(entry, pack_.info(entry.id).value().size)), false);
      pack_.stream(entry.id, [&](base::Bytes piece) { add(piece, false); });
      add({}, true);
    } else {
      const base::SharedBytes content = pack_.content(number);
      add(base::as_bytes(header(entry, content.size())), false);
      add(content.view(), true);
    }
    flush(fd, path);
  }

  // With the NUL that ends it.
  static std::string header(const Entry& entry, std::uint64_t size) {
    return fmt::format("{} {}", object::kind_name(entry.kind), size) + '\0';
  }

  void flush(int fd, const std::string& path) {
    base::write_all(fd, base::as_bytes(out_), path);
    out_.clear();
  }

  static constexpr std::size_t out_bytes_max = std::size_t{256} << 10;

  ArrivingPack& pack_;
  const LooseWriteOptions& options_;
  base::Deflater deflater_;
  std::string out_;
};

// What is to be written of one kind, each object once, from the last entry to the first.
std::vector<EntryNumber> entries_of(Ingest& ingest, object::Kind kind) {
  ArrivingPack& pack = ingest.pack();
  std::vector<EntryNumber> chosen;
  for (EntryNumber number = pack.table().size() - ingest.appended(); number-- > 0;) {
    const Entry& entry = pack.table()[number];
    if (entry.kind == kind && pack.ids().find(entry.id) == number) chosen.push_back(number);
  }
  return chosen;
}

void sync_directories(const ArrivingPack& pack, const std::string& objects_directory) {
  std::set<std::string> directories = {objects_directory};
  for (EntryNumber number = 0; number < pack.table().size(); ++number) {
    directories.insert(repo::directory_of(store::loose_object_path(objects_directory, pack.table()[number].id)));
  }
  for (const std::string& directory : directories) {
    if (base::is_directory(directory)) base::sync_directory(directory);
  }
}

}  // namespace

LooseWritten write_loose(Ingest& ingest, const LooseWriteOptions& options, base::Cancellation& cancel) {
  const base::TraceSpan span("unpack");
  LooseWritten result;
  for (const object::Kind kind : {object::Kind::blob, object::Kind::tree, object::Kind::commit, object::Kind::tag}) {
    const std::vector<EntryNumber> entries = entries_of(ingest, kind);
    if (entries.empty()) continue;
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> written{0};
    const auto work = [&] {
      Writer writer(ingest.pack(), options);
      for (std::size_t at = next++; at < entries.size(); at = next++) {
        cancel.throw_if_requested();
        if (writer.write(entries[at])) ++written;
      }
    };
    const unsigned cores = options.workers != 0 ? options.workers : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t workers = kind == object::Kind::blob ? std::min<std::size_t>(cores, entries.size()) : 1;
    base::ThreadGroup threads(cancel);
    for (std::size_t i = 1; i < workers; ++i) threads.start(fmt::format("unpack {}", i), work);
    threads.run_here(work);
    threads.join();
    result.written += written;
    result.skipped += entries.size() - written;
  }
  if (options.durable && result.written != 0) sync_directories(ingest.pack(), options.objects_directory);
  return result;
}

}  // namespace pfetch::pack
