#include "pack/installer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>

#include "base/error.h"
#include "base/fd.h"
#include "base/trace.h"
#include "repo/paths.h"

namespace pfetch::pack {

namespace {

using base::RemoveOnFailure;

constexpr mode_t pack_mode = 0444;

// A file that is written under a temporary name and appears under its own name at the end.
class StagedFile {
 public:
  StagedFile(const std::string& directory, const std::string& prefix) {
    fd_ = create_temporary(directory, prefix, path_);
    remove_ = RemoveOnFailure(path_, RemoveOnFailure::What::file);
  }
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  void finish(bool durable) {
    ::fchmod(fd_.get(), pack_mode & ~base::current_umask());
    if (durable) base::sync_fd(fd_.get(), path_);
    fd_.reset();
  }
  void rename_to(const std::string& name) {
    base::rename_file(path_, name);
    remove_.dismiss();
  }

 private:
  std::string path_;
  base::UniqueFd fd_;
  RemoveOnFailure remove_;
};

// A .keep that is there already belongs to another and stays as it is, as git has it. Armed until the pack is in place.
RemoveOnFailure write_keep(const std::string& path, const std::string& message) {
  const base::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd && errno == EEXIST) return {};
  if (!fd) throw_errno(errno, "unable to create", path);
  RemoveOnFailure remove(path, RemoveOnFailure::What::file);
  base::write_all(fd.get(), base::as_bytes(message.empty() ? "" : message + "\n"), path);
  return remove;
}

void stage_index(Ingest& ingest, const InstallOptions& options, StagedFile& idx, std::optional<StagedFile>& rev) {
  const base::TraceSpan span("write index");
  const EntryTable& table = ingest.pack().table();
  const auto by_id = sorted_by_id(table);
  write_idx(idx.fd(), idx.path(), table, by_id, ingest.checksum(), options.idx);
  if (rev) write_rev(rev->fd(), rev->path(), by_id, ingest.checksum());
}

// Where index and reverse index go, for a pack at `base_path`.pack.
std::string idx_path_of(const std::string& base_path, const InstallOptions& options) {
  return options.idx_path.value_or(base_path + ".idx");
}

std::string rev_path_of(const std::string& idx_path) {
  return (idx_path.ends_with(".idx") ? idx_path.substr(0, idx_path.size() - 4) : idx_path) + ".rev";
}

}  // namespace

void install_index(Ingest& ingest, const InstallOptions& options) {
  const std::string idx_path = idx_path_of(options.base_path, options);
  const std::string directory = repo::directory_of(idx_path);
  StagedFile idx(directory, "tmp_idx_");
  std::optional<StagedFile> rev;
  if (options.write_rev) rev.emplace(directory, "tmp_rev_");
  stage_index(ingest, options, idx, rev);
  RemoveOnFailure remove_keep;
  if (options.keep_message) remove_keep = write_keep(options.base_path + ".keep", *options.keep_message);
  if (rev) {
    rev->finish(options.durable);
    rev->rename_to(rev_path_of(idx_path));
  }
  idx.finish(options.durable);
  idx.rename_to(idx_path);
  remove_keep.dismiss();
}

InstalledPack install_pack(Ingest& ingest, const InstallOptions& options) {
  const base::TraceSpan span("install pack");
  const std::string hex = object::Oid::from_raw(ingest.checksum().data()).hex();
  const std::string base_path = options.base_path.empty() ? options.pack_directory + "/pack-" + hex : options.base_path;
  const std::string idx_path = idx_path_of(base_path, options);
  const std::string directory = repo::directory_of(base_path);

  // The pack's bytes go to the disk while the index is being made.
  const int pack_fd = ingest.pack().fd();
  const std::string& pack_path = ingest.pack().path();
  std::future<void> pack_durable = std::async(std::launch::async, [&] {
    base::name_trace_lane("sync");
    const base::TraceSpan sync_span("sync pack");
    ::fchmod(pack_fd, pack_mode & ~base::current_umask());
    if (options.durable) base::sync_fd(pack_fd, pack_path);
  });
  StagedFile idx(repo::directory_of(idx_path), "tmp_idx_");
  std::optional<StagedFile> rev;
  if (options.write_rev) rev.emplace(repo::directory_of(idx_path), "tmp_rev_");
  stage_index(ingest, options, idx, rev);
  // Side by side, so that one commit of the file system's journal can serve all three.
  std::future<void> rev_durable = std::async(rev && options.durable ? std::launch::async : std::launch::deferred, [&] {
    if (rev) rev->finish(options.durable);
  });
  idx.finish(options.durable);
  rev_durable.get();
  pack_durable.get();

  RemoveOnFailure remove_keep;
  if (options.keep_message) remove_keep = write_keep(base_path + ".keep", *options.keep_message);
  const bool has_our_keep = remove_keep.armed();
  if (base::path_exists(base_path + ".pack") && base::path_exists(idx_path)) {
    if (!base::same_bytes(pack_path, base_path + ".pack")) {
      throw Error(ErrorCode::refused, "pack '" + base_path + ".pack' is there already, with other bytes");
    }
    remove_keep.dismiss();
    return {base_path, hex, has_our_keep};
  }
  base::rename_file(pack_path, base_path + ".pack");
  ingest.release_file();
  RemoveOnFailure remove_pack(base_path + ".pack", RemoveOnFailure::What::file);
  RemoveOnFailure remove_rev;
  if (rev) {
    rev->rename_to(rev_path_of(idx_path));
    remove_rev = RemoveOnFailure(rev_path_of(idx_path), RemoveOnFailure::What::file);
  }
  idx.rename_to(idx_path);
  remove_keep.dismiss();
  remove_pack.dismiss();
  remove_rev.dismiss();
  if (options.durable) base::sync_directory(directory);
  return {base_path, hex, has_our_keep};
}

}  // namespace pfetch::pack
