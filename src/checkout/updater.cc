#include "checkout/updater.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <unordered_map>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/trace.h"
#include "checkout/directory_cursor.h"
#include "object/must_read.h"
#include "object/path_parts.h"

namespace pfetch::checkout {

Updater::Updater(DeliveryOptions options, UpdaterContext context)
    : context_(std::move(context)), delivery_(std::move(options), context_.objects, context_.cancel) {
  open_.push_back(&top_);
}

// Paths come in order, so a directory that was left is not entered again.
Directory& Updater::directory_of(std::string_view path) {
  std::size_t depth = 1;  // in open_
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (depth == open_.size() || open_[depth]->name != name) {
      open_.resize(depth);
      Directory& below = directories_.emplace_back();
      below.parent = open_.back();
      below.name = name;
      open_.push_back(&below);
    }
    ++depth;
    at = end + 1;
  }
  open_.resize(depth);
  return *open_.back();
}

void Updater::plan(std::span<FileUpdate> updates) {
  updates_ = updates;
  slots_.resize(updates.size());
  const std::size_t files_per_job = context_.crew.control().files_per_job();
  std::unordered_map<const Directory*, std::size_t> slices;  // jobs of each directory
  for (std::size_t i = 0; i < updates.size(); ++i) {
    Directory& directory = directory_of(object::directory_part(updates[i].path));
    FileSlot& slot = slots_[i];
    slot.directory = &directory;
    slot.name = object::leaf_part(updates[i].path);
    slot.raw_id = updates[i].id.raw.data();
    slot.mode = updates[i].mode;
    if (jobs_.empty() || jobs_.back().directory != &directory ||
        jobs_.back().last - jobs_.back().first == files_per_job) {
      jobs_.push_back({&directory, slices[&directory]++, i, i});
    }
    jobs_.back().last = i + 1;
  }
  if (!context_.crew.control().spreads_jobs()) return;
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const Job& one, const Job& other) { return one.slice < other.slice; });
}

void Updater::write(std::span<FileUpdate> updates) {
  const base::TraceSpan span("write files");
  plan(updates);
  delivery_.counters().files_planned += updates.size();
  context_.crew.run(directories_.size() + 1, [this](std::size_t i) {
    Directory& directory = i == 0 ? top_ : directories_[i - 1];
    directory.attributes = context_.attributes.stack_of(directory.path());
  });
  context_.crew.run(jobs_.size(), [this](std::size_t i) { write_some(jobs_[i]); });
}

void Updater::write_some(const Job& job) {
  for (std::size_t i = job.first; i < job.last; ++i) {
    context_.cancel.throw_if_requested();
    try {
      write_one(slots_[i], updates_[i]);
    } catch (Error& error) {
      if (error.code() == ErrorCode::corrupt) error.add_context(fmt::format("cannot check out '{}'", updates_[i].path));
      throw;
    }
    context_.crew.progress(1, 0);
  }
}

void Updater::write_one(FileSlot& file, const FileUpdate& update) {
  if (!make_room(file, update)) {
    delivery_.add_collided(file);
    return;
  }
  if (file.mode == object::mode_gitlink) {
    delivery_.directories().make_submodule(*file.directory, file.name);
    file.written = true;
    return;
  }
  if (delivery_.is_link(file)) {
    delivery_.add_link(file, object::must_read(context_.objects, update.id, object::Kind::blob).bytes);
    return;
  }
  const Delivery::Treatment treatment = delivery_.treatment_of(file);
  if (delivery_.keep_for_filter(file, treatment)) return;
  if (treatment.conversion.changes_no_blob()) {
    const auto info = context_.objects.info(update.id);
    if (info && info->kind == object::Kind::blob && info->size > context_.big_file_bytes) {
      delivery_.write_streamed(file);
      return;
    }
  }
  const object::Object blob = object::must_read(context_.objects, update.id, object::Kind::blob);
  delivery_.write(file, blob.bytes.view(), treatment.conversion);
}

// False when something stands there that must stay.
bool Updater::make_room(const FileSlot& file, const FileUpdate& update) {
  if (update.standing == Standing::nothing) return true;
  const auto directory = delivery_.directories().open(*file.directory);
  if (!directory) return false;
  const std::string leaf(file.name);
  if (update.standing == Standing::anything) {
    if (file.directory->fresh) return true;
    if (file.mode == object::mode_gitlink) {
      struct stat found {};
      if (::fstatat(directory->get(), leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode)) {
        return true;
      }
    }
    if (base::remove_tree_at(directory->get(), leaf.c_str())) return true;
    throw_errno(errno, "unable to remove", std::string(update.path));
  }
  struct stat found {};
  if (::fstatat(directory->get(), leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return true;
    throw_errno(errno, "could not stat", std::string(update.path));
  }
  if (S_ISDIR(found.st_mode)) {  // a submodule that gives way, or stays one
    if (file.mode == object::mode_gitlink) return true;
    return ::unlinkat(directory->get(), leaf.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
  }
  if (!stat_agrees(update.known, found, context_.stat_rules)) return false;
  if (::unlinkat(directory->get(), leaf.c_str(), 0) == 0 || errno == ENOENT) return true;
  throw_errno(errno, "unable to unlink old", std::string(update.path));
}

Updater::InTheWayOf Updater::finish() {
  delivery_.write_links();
  collect();
  return sort_out_collided();
}

// A file system that folds case gives two paths one place: then what stands there has the inode of a file that was
// written here. Anything else is somebody's.
Updater::InTheWayOf Updater::sort_out_collided() {
  InTheWayOf result;
  if (delivery_.collided().empty()) return result;
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // device and inode
  std::map<Place, std::string_view> written;
  for (const FileUpdate& update : updates_) {
    if (update.written) written.emplace(Place(update.stat.dev, update.stat.ino), update.path);
  }
  std::set<std::string> collided;
  std::set<std::string> theirs;
  DirectoryCursor cursor(delivery_.directories().top());
  for (const FileSlot* file : delivery_.collided()) {
    const std::string path = path_of(*file);
    DirectoryCursor::Place place = cursor.place_of(path);
    if (place.directory < 0 && !place.missing.empty()) place = cursor.place_of(std::string(place.missing));
    struct stat found {};
    const bool there =
        place.directory >= 0 && ::fstatat(place.directory, place.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
    const IndexStat stat = index_stat(found);
    const auto winner = there ? written.find({stat.dev, stat.ino}) : written.end();
    if (winner == written.end()) {
      theirs.insert(path);
    } else {
      collided.insert(path);
      collided.emplace(winner->second);
    }
  }
  result.theirs.assign(theirs.begin(), theirs.end());
  result.collided.assign(collided.begin(), collided.end());
  return result;
}

void Updater::collect() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    updates_[i].stat = slots_[i].stat;
    updates_[i].written = slots_[i].written;
  }
}

}  // namespace pfetch::checkout
