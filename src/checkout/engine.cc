#include "checkout/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/error.h"
#include "base/thread_group.h"
#include "base/trace.h"
#include "object/commit_view.h"
#include "object/tag_view.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t replays_per_object = 8;  // how many waiting replays a worker does after each object
constexpr std::size_t link_target_max = 4095;  // bytes

bool is_attribute_file(const FileSlot& file) {
  return file.name == ".gitattributes" && file.mode != object::mode_symlink;
}

void require_kind(const object::Oid& id, object::Kind is, object::Kind wanted) {
  if (is == wanted) return;
  throw Error(ErrorCode::corrupt,
              fmt::format("object {} is a {}, not a {}", id.hex(), object::kind_name(is), object::kind_name(wanted)));
}

}  // namespace

Engine::Engine(EngineOptions options, const object::Oid& wanted, EngineContext context)
    : options_(std::move(options)),
      context_(std::move(context)),
      directories_(options_.work_tree),
      files_(directories_),
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
        for (; waiting != nullptr; waiting = waiting->next_waiting) replays_.push_back(waiting);
        replay_count_.store(replays_.size(), std::memory_order_relaxed);
      }
      for (; waiting != nullptr; waiting = waiting->next_waiting) deliver(*waiting, resolved.bytes, true);
      break;
    }
  }
  if (replay_count_.load(std::memory_order_relaxed) != 0) replay_some(replays_per_object);
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
    require_kind(id, object.kind, object::Kind::commit);
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
  here.push_back({&directory, id, must_read(id, object::Kind::tree).bytes});
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
  counters_.files_planned.fetch_add(growth.files.size(), std::memory_order_relaxed);
  for (const FileSlot* submodule : growth.submodules) {
    directories_.make_submodule(*tree.directory, submodule->name);
  }
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
  const std::lock_guard lock(replay_mutex_);
  replays_.push_back(&file);
  replay_count_.store(replays_.size(), std::memory_order_relaxed);
}

void Engine::deliver(FileSlot& file, const base::SharedBytes& bytes, bool receiving) {
  if (is_attribute_file(file)) settle_attributes(*file.directory, bytes.view());
  if (file.mode == object::mode_symlink && options_.symlinks) {
    if (bytes.size() > link_target_max) {
      throw Error(ErrorCode::io, fmt::format("unable to create symlink '{}': File name too long", path_of(file)));
    }
    const std::lock_guard lock(late_mutex_);
    links_.emplace_back(&file, bytes.text());
    return;
  }
  if (hold_unless_certain(file)) return;
  const Treatment treatment = treatment_of(file);
  if (keep_for_filter(file, treatment)) return;
  write(file, bytes.view(), treatment.conversion);
  (receiving ? counters_.written_receiving : counters_.replayed).fetch_add(1, std::memory_order_relaxed);
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
        at->attributes = AttributeStack::root(
            {options_.attributes_below, at->attribute_file, options_.attributes_info, options_.casefold});
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

Engine::Treatment Engine::treatment_of(const FileSlot& file) {
  const AttributeStack& attributes = *file.directory->attributes;
  if (file.mode == object::mode_symlink) return {};
  if (attributes.is_empty()) return {decide_conversion({}, options_.convert), {}};
  const std::string path = path_of(file);
  const Attributes found = attributes.query(path);
  try {
    return {decide_conversion(found, options_.convert), choose_filter(found, options_.drivers)};
  } catch (Error& error) {
    throw error.add_context(fmt::format("cannot check out '{}'", path));
  }
}

bool Engine::keep_for_filter(FileSlot& file, const Treatment& treatment) {
  if (!treatment.filter) return false;
  const std::lock_guard lock(late_mutex_);
  filtered_.push_back(&file);
  return true;
}

base::Bytes Engine::convert(const FileSlot& file, base::Bytes blob, const Conversion& conversion, std::string& text) {
  if (conversion.changes_no_blob()) return blob;
  const Converted converted = convert_to_worktree(base::as_text(blob), file.id(), conversion, text);
  if (converted.not_encoded) {
    const std::string path = path_of(file);
    const std::lock_guard lock(late_mutex_);
    encoding_errors_[path] = fmt::format("failed to encode '{}' from UTF-8 to {}", path, conversion.encoding);
  }
  return converted.changed ? base::as_bytes(text) : blob;
}

std::vector<std::string> Engine::encoding_errors() {
  std::vector<std::string> errors;
  const std::lock_guard lock(late_mutex_);
  for (const auto& [path, error] : encoding_errors_) errors.push_back(error);
  return errors;
}

void Engine::write(FileSlot& file, base::Bytes blob, const Conversion& conversion) {
  std::string text;
  const base::Bytes content = convert(file, blob, conversion, text);
  note_written(file, files_.write(file, content), content.size());
}

void Engine::write_streamed(FileSlot& file) {
  std::uint64_t total = 0;
  const Written written = files_.write_pieces(file, [&](const std::function<void(base::Bytes)>& put) {
    const bool there = context_.source.stream(file.id(), [&](base::Bytes piece) {
      context_.cancel.throw_if_requested();
      put(piece);
      total += piece.size();
    });
    if (!there) throw Error(ErrorCode::corrupt, fmt::format("missing blob {}", file.id().hex()));
  });
  note_written(file, written, total);
}

void Engine::note_written(const FileSlot& file, Written written, std::uint64_t bytes) {
  if (written == Written::collided) {
    const std::lock_guard lock(late_mutex_);
    collided_.push_back(const_cast<FileSlot*>(&file));
    return;
  }
  counters_.files_written.fetch_add(1, std::memory_order_relaxed);
  counters_.bytes_written.fetch_add(bytes, std::memory_order_relaxed);
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
    deliver(file, must_read(file.id(), object::Kind::blob).bytes, false);
    return;
  }
  if (hold_unless_certain(file)) return;
  const Treatment treatment = treatment_of(file);
  if (keep_for_filter(file, treatment)) return;
  bool streamed;
  {
    const std::lock_guard lock(replay_mutex_);
    streamed = streamed_.contains(file.id());
  }
  if (streamed && treatment.conversion.changes_no_blob()) {  // conversions want the whole blob in memory
    write_streamed(file);
  } else {
    write(file, must_read(file.id(), object::Kind::blob).bytes.view(), treatment.conversion);
  }
  counters_.replayed.fetch_add(1, std::memory_order_relaxed);
}

void Engine::replay_all() {
  base::ThreadGroup threads(context_.cancel);
  const unsigned workers = options_.workers != 0 ? options_.workers : std::max(1U, std::thread::hardware_concurrency());
  const auto work = [&] {
    while (replay_count_.load() != 0) replay_some(replays_per_object);
  };
  for (unsigned i = 1; i < workers; ++i) threads.start(fmt::format("replay {}", i), work);
  threads.run_here(work);
  threads.join();
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
        const object::Object tree = must_read(id, object::Kind::tree);
        for (Directory* directory : waiting) grow({{directory, id, tree.bytes}});
        more = true;
      }
    }
  }
}

object::Object Engine::must_read(const object::Oid& id, object::Kind kind) {
  auto object = context_.source.read(id);
  if (!object) throw Error(ErrorCode::corrupt, fmt::format("missing {} {}", object::kind_name(kind), id.hex()));
  require_kind(id, object->kind, kind);
  return std::move(*object);
}

std::vector<std::string> Engine::finish() {
  const base::TraceSpan span("symlinks");
  for (auto& [file, target] : links_) {
    note_written(*file, files_.write_symlink(*file, target), target.size());
    counters_.written_receiving.fetch_add(1, std::memory_order_relaxed);
  }
  links_.clear();
  return collided_paths();
}

}  // namespace pfetch::checkout
