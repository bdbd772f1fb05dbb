#include "checkout/updater.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/trace.h"
#include "object/must_read.h"
#include "object/path_parts.h"

namespace pfetch::checkout {

namespace {

// What an updater promises, whoever asks for it.
DeliveryOptions for_update(DeliveryOptions options) {
  options.in_the_way = InTheWay::is_kept;  // what may go is gone by then
  options.times = FileTimes::present;      // make(1) must see what has changed
  return options;
}

}  // namespace

Updater::Updater(const DeliveryOptions& options, UpdaterContext context)
    : context_(std::move(context)), delivery_(for_update(options), context_.objects, context_.cancel) {
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
  make_room(updates);
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
  if (file.mode == object::mode_gitlink) {
    delivery_.make_submodule(file);
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

Collisions Updater::finish() {
  delivery_.write_links();
  collect();
  return find_collisions(delivery_.directories().top(), slots_, delivery_.collided());
}

void Updater::collect() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    updates_[i].stat = slots_[i].stat;
    updates_[i].written = slots_[i].written;
  }
}

}  // namespace pfetch::checkout
