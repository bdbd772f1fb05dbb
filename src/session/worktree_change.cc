#include "session/worktree_change.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "base/error.h"
#include "base/trace.h"
#include "checkout/by_path.h"
#include "checkout/index_reader.h"
#include "checkout/index_settings.h"
#include "checkout/worker_crew.h"
#include "checkout/workers.h"
#include "session/checkout_setup.h"
#include "session/file_troubles.h"

namespace pfetch::session {

namespace {

constexpr std::size_t entries_per_look = 500;
constexpr std::size_t paths_per_search = 100;

// Looking at files has its own rule, as in git: core.preloadIndex.
checkout::WorkerCircumstances to_look(const SwitchContext& context, std::uint64_t files) {
  const repo::Config& config = context.repository.config();
  auto circumstances = checkout::worker_circumstances(config, *context.repository.work_tree(), files, 0);
  circumstances.asked_for.reset();
  circumstances.parallel_from.reset();
  if (!config.get_bool("core.preloadindex", true)) circumstances.asked_for = 1;
  circumstances.asked_by = "core.preloadIndex";
  return circumstances;
}

std::optional<object::Oid> attribute_blob(const std::vector<PathOrder>& orders, const checkout::Index& index,
                                          const std::string& path) {
  const auto as_file = [](std::uint32_t mode, const object::Oid& id) {
    return mode == object::mode_file || mode == object::mode_executable ? std::optional(id) : std::nullopt;
  };
  if (const PathOrder* const order = checkout::find_by_path(orders, path)) {
    return as_file(order->target.mode, order->target.id);
  }
  const checkout::IndexEntry* const entry = index.find(path);
  return entry != nullptr && entry->stage == 0 ? as_file(entry->mode, entry->id) : std::nullopt;
}

}  // namespace

WorktreeChange::WorktreeChange(const SwitchContext& context)
    : context_(context),
      tools_(context),
      lock_(base::LockFile::take(context.repository.index_path())),
      index_(checkout::read_index(context.repository.index_path(), context.repository.git_dir())),
      state_(std::make_unique<checkout::WorktreeState>(tools_.top(), index_, tools_.stat_rules(), tools_.contents())) {}

void WorktreeChange::examine() {
  const base::TraceSpan span("refresh index");
  const std::size_t count = index_.entries.size();
  checkout::WorkerCrew crew(checkout::WorkerControl(to_look(context_, count)), context_.cancel);
  crew.run((count + entries_per_look - 1) / entries_per_look, [&](std::size_t job) {
    context_.cancel.throw_if_requested();
    const std::size_t first = job * entries_per_look;
    const std::size_t last = std::min(first + entries_per_look, count);
    state_->examine(first, last);
    crew.progress(last - first, 0);
  });
  index_changed_ = state_->refreshed();
}

checkout::IgnoreRules& WorktreeChange::ignored() {
  if (!ignore_rules_) {
    ignore_rules_ = std::make_unique<checkout::IgnoreRules>(ignore_rules(context_.repository, tools_.work_tree()));
  }
  return *ignore_rules_;
}

checkout::Obstacles WorktreeChange::find_obstacles(const checkout::SwitchPlan& plan, bool ignored_may_go,
                                                   checkout::Obstacles known) {
  const base::TraceSpan span("look for obstacles");
  std::mutex mutex;  // guards the rules and what was found
  checkout::IgnoreRules& rules = ignored();
  checkout::ObstacleFinder::IgnoreTest is_ignored;
  if (ignored_may_go) {
    is_ignored = [&](std::string_view path, bool is_directory) {
      const std::lock_guard lock(mutex);
      return rules.is_ignored(path, is_directory);
    };
  }
  checkout::Obstacles found = std::move(known);
  const std::size_t count = plan.paths.size();
  checkout::WorkerCrew crew(checkout::WorkerControl(to_look(context_, count)), context_.cancel);
  crew.run((count + paths_per_search - 1) / paths_per_search, [&](std::size_t job) {
    checkout::ObstacleFinder finder(tools_.top(), index_, plan, is_ignored, tools_.folds_case());
    const std::size_t first = job * paths_per_search;
    const std::size_t last = std::min(first + paths_per_search, count);
    for (std::size_t i = first; i < last; ++i) finder.look_at(plan.paths[i]);
    crew.progress(last - first, 0);
    const std::lock_guard lock(mutex);
    found += finder.take();
  });
  found.sort();
  return found;
}

bool WorktreeChange::would_lose_files_below(const checkout::SwitchPlan& plan, std::string_view path) {
  const auto is_ignored = [this](std::string_view at, bool is_directory) {
    return ignored().is_ignored(at, is_directory);
  };
  return checkout::ObstacleFinder(tools_.top(), index_, plan, is_ignored).would_lose_files_below(path);
}

void WorktreeChange::remove_files(const std::vector<PathOrder>& orders, checkout::Updater& updater) {
  std::vector<checkout::FileRemoval> removals;
  for (const PathOrder& order : orders) {
    if (order.target || order.index_only) continue;
    checkout::FileRemoval removal{order.path, false, order.standing, {}};
    removal.whole_tree = order.worktree_only;
    if (order.current != nullptr) {
      removal.submodule = order.current->mode == object::mode_gitlink;
      removal.known = order.current->stat;
    }
    removals.push_back(removal);
  }
  for (const auto& trouble : updater.remove(removals)) {
    context_.reporter.warn(
        fmt::format("unable to {} '{}': {}", trouble.submodule ? "rmdir" : "unlink", trouble.path, trouble.reason));
  }
  files_removed_ += removals.size();
}

std::vector<checkout::FileUpdate> WorktreeChange::updates_for(const std::vector<PathOrder>& orders) {
  checkout::OtherSpellings spellings(tools_.top(), index_);
  std::vector<checkout::FileUpdate> updates;
  for (const PathOrder& order : orders) {
    if (!order.target || order.index_only) continue;
    checkout::FileUpdate update{order.path, order.target.mode, order.target.id, order.standing};
    if (order.current != nullptr) {
      update.known = order.current->stat;
    } else if (tools_.folds_case() && order.standing == checkout::Standing::anything && spellings.find(order.path)) {
      update.standing = checkout::Standing::nothing;  // it may be one that stays
    }
    updates.push_back(update);
  }
  return updates;
}

void WorktreeChange::apply(const std::vector<PathOrder>& orders, bool gives_way, const checkout::FilterOrigin& origin) {
  const auto attributes =
      tools_.arriving_attributes([&](const std::string& path) { return attribute_blob(orders, index_, path); });
  checkout::WorkerCrew crew(checkout::WorkerControl(checkout::worker_circumstances(
                                context_.repository.config(), tools_.work_tree(), orders.size(), 0)),
                            context_.cancel);
  checkout::UpdaterContext parts{context_.objects, *attributes, crew, context_.cancel, tools_.stat_rules()};
  parts.gives_way = gives_way;
  parts.big_file_bytes = static_cast<std::uint64_t>(
      context_.repository.config().get_int("core.bigfilethreshold", static_cast<std::int64_t>(parts.big_file_bytes)));
  checkout::Updater updater(tools_.delivery(), parts);

  std::vector<checkout::FileUpdate> updates = updates_for(orders);
  reserve_index_space(orders.size());
  context_.progress.watch(nullptr, &updater.counters());
  const ProgressWatch stop_watching(context_.progress);
  try {
    carry_out(orders, updates, updater, origin);
  } catch (...) {
    salvage(orders, updates, updater);
    throw;
  }
  files_written_ += updater.counters().files_written.load();
  bytes_written_ += updater.counters().bytes_written.load();
  workers_ = crew.control().workers();
  workers_reason_ = crew.describe();
  note_done(orders, updates, true);
}

// So that a disk that is full by then has room for the index.
void WorktreeChange::reserve_index_space(std::size_t orders) {
  constexpr std::uint64_t bytes_per_entry = 200;  // more is rare; then the reserve is merely too small
  const std::uint64_t bytes = (index_.entries.size() + orders) * bytes_per_entry;
  ::fallocate(lock_.fd(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));  // not every file system can
}

void WorktreeChange::carry_out(const std::vector<PathOrder>& orders, std::vector<checkout::FileUpdate>& updates,
                               checkout::Updater& updater, const checkout::FilterOrigin& origin) {
  remove_files(orders, updater);
  removed_all_ = true;
  updater.write(updates);
  std::vector<checkout::FilterFailure> failures;
  if (updater.has_filtered()) {
    failures = updater.run_filters(tools_.filter_place(), origin);
    report_filter_failures(failures, context_.reporter);
  }
  checkout::Collisions in_the_way = updater.finish();
  if (tools_.folds_case()) tell_other_spellings(in_the_way);
  collided_ = std::move(in_the_way.collided);
  warn_of_collisions(collided_, context_.reporter);
  for (const std::string& path : in_the_way.theirs) {
    ++lost_;
    context_.reporter.complain(fmt::format("unable to create file {}: File exists", path));
  }
  for (const std::string& error : updater.encoding_errors()) context_.reporter.complain(error);
  require_filtered(failures);  // last: all that can be had is written by then
}

// What stands in the way may also be a tracked file that was there before.
void WorktreeChange::tell_other_spellings(checkout::Collisions& in_the_way) {
  checkout::OtherSpellings spellings(tools_.top(), index_);
  std::erase_if(in_the_way.theirs, [&](const std::string& path) {
    const checkout::IndexEntry* const stands = spellings.find(path);
    if (stands != nullptr) in_the_way.collided.insert(in_the_way.collided.end(), {path, std::string(stands->path)});
    return stands != nullptr;
  });
  std::sort(in_the_way.collided.begin(), in_the_way.collided.end());
  in_the_way.collided.erase(std::unique(in_the_way.collided.begin(), in_the_way.collided.end()),
                            in_the_way.collided.end());
}

void WorktreeChange::salvage(const std::vector<PathOrder>& orders, std::vector<checkout::FileUpdate>& updates,
                             checkout::Updater& updater) noexcept {
  try {
    updater.collect();
    note_done(orders, updates, index_.version == 0);
    update_index({});
    publish();
  } catch (const std::exception&) {
    // The old index stays, and the first trouble is the one that is reported.
  }
}

void WorktreeChange::note_done(const std::vector<PathOrder>& orders, const std::vector<checkout::FileUpdate>& updates,
                               bool all) {
  auto update = updates.begin();
  for (const PathOrder& order : orders) {
    checkout::EntryUpdate entry{order.path, order.target, {}};
    bool done = all;
    if (!order.target) {
      done = removed_all_;
    } else if (!order.index_only) {
      entry.stat = update->stat;
      done = all || update->written;
      ++update;
    }
    if (done && !order.worktree_only) entry_updates_.push_back(entry);
  }
  index_changed_ = index_changed_ || !orders.empty();
}

void WorktreeChange::update_index(const checkout::IndexUpdateRules& rules) {
  checkout::update_index(index_, entry_updates_, rules);
}

void WorktreeChange::publish() {
  if (!index_changed_ && index_.version != 0) {
    lock_.rollback();
    return;
  }
  const base::TraceSpan span("write index file");
  std::optional<std::string> version;
  if (const char* text = std::getenv("GIT_INDEX_VERSION"); text != nullptr) version = text;
  std::vector<std::string> warnings;
  const auto settings = checkout::index_settings(context_.repository.config(), version, warnings);
  for (const std::string& warning : warnings) context_.reporter.warn(warning);
  checkout::write_index(lock_, index_, settings.new_version, settings.skip_checksum);
  // What was reserved and not needed is given back; if that fails, it only takes room.
  if (const off_t size = ::lseek(lock_.fd(), 0, SEEK_CUR); size < 0 || ::ftruncate(lock_.fd(), size) != 0) errno = 0;
  context_.repository.shared_mode().adjust_path(lock_.lock_path());
  lock_.commit();
}

}  // namespace pfetch::session
