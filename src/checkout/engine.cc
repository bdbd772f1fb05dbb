#include "checkout/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/trace.h"
#include "checkout/worker_crew.h"
#include "object/commit_view.h"
#include "object/must_read.h"
#include "object/tag_view.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t replays_per_object = 8;  // how many waiting replays a worker does after each object

bool is_attribute_file(const FileSlot& file) {
  return file.name == ".gitattributes" && file.mode != object::mode_symlink;
}

}  // namespace

Engine::Engine(EngineOptions options, const object::Oid& wanted, EngineContext context)
    : options_(std::move(options)),
      context_(std::move(context)),
      delivery_(options_.delivery, context_.source, context_.cancel),
      plan_(options_.rules),
      wanted_(wanted) {}

void Engine::accept(const object::ResolvedObject& resolved) {
  switch (resolved.kind) {
    case object::Kind::commit:
    case object::Kind::tag:
      if (!started_.load(std::memory_order_acquire)) start_at(resolved.id, {resolved.kind, resolved.bytes});
      break;
    case object::Kind::tree: {
      std::vector<Directory*> waiting;
      {
        Shard& shard = shard_of(resolved.id);
        const std::lock_guard lock(shard.mutex);
        if (const auto at = shard.trees.find(resolved.id); at != shard.trees.end()) {
          waiting = std::move(at->second);
          shard.trees.erase(at);
        }
      }
      std::vector<Tree> trees;
      for (Directory* directory : waiting) trees.push_back({directory, resolved.id, resolved.bytes});
      grow(std::move(trees));
      break;
    }
    case object::Kind::blob: {
      FileSlot* waiting = nullptr;
      {
        Shard& shard = shard_of(resolved.id);
        const std::lock_guard lock(shard.mutex);
        if (auto node = shard.blobs.extract(resolved.id)) waiting = node.mapped();
      }
      if (resolved.streamed) {
        const std::lock_guard lock(replay_mutex_);
        streamed_.insert(resolved.id);
      }
      for (; waiting != nullptr; waiting = waiting->next_waiting) {
        const bool later = resolved.streamed || (!options_.writes_on_arrival && !is_attribute_file(*waiting));
        if (later) {
          replay_later(*waiting);
        } else {
          deliver(*waiting, resolved.bytes, true);
        }
      }
      break;
    }
  }
  if (options_.writes_on_arrival && replay_count_.load(std::memory_order_relaxed) != 0) replay_some(replays_per_object);
}

void Engine::start_at(object::Oid id, object::Object object) {
  while (object.kind == object::Kind::tag) {
    {
      const std::lock_guard lock(plan_mutex_);
      if (id != wanted_ || started_.load()) return;
      wanted_ = object::TagView(id, object.bytes.view()).target_id();
      id = wanted_;
    }
    if (!context_.arrived(id)) return;
    auto target = context_.source.read(id);
    if (!target) return;
    object = std::move(*target);
  }
  {
    const std::lock_guard lock(plan_mutex_);
    if (id != wanted_ || started_.load()) return;
    object::require_kind(id, object.kind, object::Kind::commit);
    started_.store(true, std::memory_order_release);
  }
  std::vector<Tree> here;
  want_tree(plan_.top(), object::CommitView(id, object.bytes.view()).tree_id(), here);
  grow(std::move(here));
}

void Engine::want_tree(Directory& directory, const object::Oid& id, std::vector<Tree>& here) {
  {
    Shard& shard = shard_of(id);
    const std::lock_guard lock(shard.mutex);
    // An arriving tree enters the pack's map of ids before it is delivered here under this lock, so one of us sees it.
    if (!context_.arrived(id)) {
      shard.trees[id].push_back(&directory);
      return;
    }
  }
  here.push_back({&directory, id, object::must_read(context_.source, id, object::Kind::tree).bytes});
}

void Engine::grow(std::vector<Tree> trees) {
  while (!trees.empty()) {
    const Tree tree = std::move(trees.back());
    trees.pop_back();
    grow_one(tree, trees);
  }
}

void Engine::grow_one(const Tree& tree, std::vector<Tree>& here) {
  Plan::Growth growth;
  {
    const std::lock_guard lock(plan_mutex_);
    growth = plan_.grow(*tree.directory, tree.id, tree.bytes);
    tree.directory->awaits_attribute_file = growth.attribute_file != nullptr;
  }
  delivery_.counters().files_planned.fetch_add(growth.files.size(), std::memory_order_relaxed);
  for (FileSlot* submodule : growth.submodules) delivery_.make_submodule(*submodule);
  if (growth.attribute_file == nullptr) settle_attributes(*tree.directory, std::nullopt);
  for (FileSlot* file : growth.files) want_blob(*file);
  for (Directory* below : growth.directories) want_tree(*below, below->tree_id, here);
}

void Engine::want_blob(FileSlot& file) {
  const object::Oid id = file.id();
  {
    Shard& shard = shard_of(id);
    const std::lock_guard lock(shard.mutex);
    if (!context_.arrived(id)) {
      FileSlot*& first = shard.blobs[id];
      file.next_waiting = first;
      first = &file;
      return;
    }
  }
  replay_later(file);
}

void Engine::replay_later(FileSlot& file) {
  const std::lock_guard lock(replay_mutex_);
  replays_.push_back(&file);
  replay_count_.store(replays_.size(), std::memory_order_relaxed);
}

void Engine::deliver(FileSlot& file, const base::SharedBytes& bytes, bool receiving) {
  if (is_attribute_file(file)) settle_attributes(*file.directory, bytes.view());
  if (delivery_.is_link(file)) {
    delivery_.add_link(file, bytes);
    return;
  }
  if (hold_unless_certain(file)) return;
  const Delivery::Treatment treatment = delivery_.treatment_of(file);
  if (delivery_.keep_for_filter(file, treatment)) return;
  delivery_.write(file, bytes.view(), treatment.conversion);
  CheckoutCounters& counters = delivery_.counters();
  (receiving ? counters.written_receiving : counters.replayed).fetch_add(1, std::memory_order_relaxed);
}

void Engine::settle_attributes(Directory& directory, std::optional<base::Bytes> attribute_file) {
  std::vector<FileSlot*> released;
  {
    const std::lock_guard lock(plan_mutex_);
    if (attribute_file && directory.awaits_attribute_file) {
      const bool top = directory.parent == nullptr;
      directory.attribute_file =
          parse_attribute_file(base::as_text(*attribute_file), directory.path() + "/.gitattributes", top, nullptr);
      directory.awaits_attribute_file = false;
    }
    std::vector<Directory*> to_settle = {&directory};
    while (!to_settle.empty()) {
      Directory* at = to_settle.back();
      to_settle.pop_back();
      if (at->awaits_attribute_file || at->attributes_certain.load() || !at->grown) continue;
      if (at->parent == nullptr) {
        AttributeStack::Sources sources = options_.attributes;
        sources.top = at->attribute_file;
        at->attributes = AttributeStack::root(sources);
      } else if (at->parent->attributes_certain.load()) {
        at->attributes = at->parent->attributes->child(at->name, at->attribute_file);
      } else {
        continue;
      }
      at->attributes_certain.store(true, std::memory_order_release);
      released.insert(released.end(), at->held.begin(), at->held.end());
      at->held = {};
      for (const PlanItem& item : at->items) {
        if (item.directory != nullptr) to_settle.push_back(item.directory);
      }
    }
  }
  if (released.empty()) return;
  const std::lock_guard lock(replay_mutex_);
  replays_.insert(replays_.end(), released.begin(), released.end());
  replay_count_.store(replays_.size(), std::memory_order_relaxed);
}

bool Engine::hold_unless_certain(FileSlot& file) {
  Directory& directory = *file.directory;
  if (directory.attributes_certain.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(plan_mutex_);
  if (directory.attributes_certain.load()) return false;
  directory.held.push_back(&file);
  return true;
}

void Engine::replay_some(std::size_t count) {
  std::vector<FileSlot*> mine;
  {
    const std::lock_guard lock(replay_mutex_);
    // Oldest first: what came longest ago is the first to leave the cache of contents.
    count = std::min(count, replays_.size());
    mine.assign(replays_.begin(), replays_.begin() + static_cast<std::ptrdiff_t>(count));
    replays_.erase(replays_.begin(), replays_.begin() + static_cast<std::ptrdiff_t>(count));
    replay_count_.store(replays_.size(), std::memory_order_relaxed);
  }
  for (FileSlot* file : mine) replay(*file);
}

void Engine::replay(FileSlot& file) {
  context_.cancel.throw_if_requested();
  if (is_attribute_file(file) || file.mode == object::mode_symlink) {  // the content is needed in any case
    deliver(file, object::must_read(context_.source, file.id(), object::Kind::blob).bytes, false);
    return;
  }
  if (hold_unless_certain(file)) return;
  const Delivery::Treatment treatment = delivery_.treatment_of(file);
  if (delivery_.keep_for_filter(file, treatment)) return;
  bool streamed;
  {
    const std::lock_guard lock(replay_mutex_);
    streamed = streamed_.contains(file.id());
  }
  if (streamed && treatment.conversion.changes_no_blob()) {  // conversions want the whole blob in memory
    delivery_.write_streamed(file);
  } else {
    delivery_.write(file, object::must_read(context_.source, file.id(), object::Kind::blob).bytes.view(),
                    treatment.conversion);
  }
  delivery_.counters().replayed.fetch_add(1, std::memory_order_relaxed);
}

void Engine::replay_all() {
  WorkerCircumstances circumstances = options_.workers;
  circumstances.files = replay_count_.load();
  WorkerCrew crew(WorkerControl(circumstances), context_.cancel);
  const std::size_t files_per_job = crew.control().files_per_job();
  crew.run((circumstances.files + files_per_job - 1) / files_per_job, [&](std::size_t) {
    replay_some(files_per_job);
    crew.progress(files_per_job, 0);
  });
}

void Engine::finish_files() {
  const base::TraceSpan span("replay");
  while (!started_.load()) {
    // The commit, or a tag on the way to it, is not in the pack: it was here before, or nothing came.
    auto object = context_.source.read(wanted_);
    if (!object) throw Error(ErrorCode::corrupt, fmt::format("missing commit {}", wanted_.hex()));
    start_at(wanted_, std::move(*object));
  }
  fetch_missing_trees();
  for (Shard& shard : shards_) {
    for (const auto& [id, first] : shard.blobs) {
      for (FileSlot* file = first; file != nullptr; file = file->next_waiting) replays_.push_back(file);
    }
    shard.blobs.clear();
  }
  replay_count_.store(replays_.size());
  while (replay_count_.load() != 0) replay_all();  // a `.gitattributes` that is replayed releases others
}

void Engine::fetch_missing_trees() {
  for (bool more = true; more;) {
    more = false;
    for (Shard& shard : shards_) {
      auto trees = std::exchange(shard.trees, {});
      for (const auto& [id, waiting] : trees) {
        const object::Object tree = object::must_read(context_.source, id, object::Kind::tree);
        for (Directory* directory : waiting) grow({{directory, id, tree.bytes}});
        more = true;
      }
    }
  }
}

std::vector<std::string> Engine::finish() {
  delivery_.counters().written_receiving += delivery_.write_links();
  return collided_paths();
}

}  // namespace pfetch::checkout
