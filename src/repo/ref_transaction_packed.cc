// What a transaction does to packed-refs: deletions, first refs, and very many new ones.
//
// A loose ref costs two dozen system calls, so that tens of thousands of new refs take longer than the fetch that
// brings them. They become lines of packed-refs instead, in one rewrite, without a lock for each. That is safe because
// nobody else can have changed one of them unseen:
// - while packed-refs is locked, no other process packs or deletes a ref;
// - whoever creates the same ref as a loose file takes its lock first and looks for the name afterwards. Before the
//   rewrite was renamed into place, it did not find it; then its lock or its file is there when the rename is done, and
//   our line is taken back. After the rename, it sees our value.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/fd.h"
#include "object/ref_name.h"
#include "repo/ref_edit.h"
#include "repo/ref_transaction_state.h"
#include "repo/reflog.h"

namespace pfetch::repo {

using object::Oid;

namespace {

constexpr std::size_t packed_refs_min = 100;            // fewer new refs become loose ones
constexpr std::uint64_t rewrite_bytes_max = 16 * 1024;  // of packed-refs for each new ref: then both cost alike

// What stands in the way of new refs.
class Obstacles {
 public:
  // `files`: names of loose refs and locks, in order. `packed` may be null.
  Obstacles(std::vector<std::string> files, const PackedRefs* packed) : files_(std::move(files)), packed_(packed) {}

  bool has_file(std::string_view name) const { return std::binary_search(files_.begin(), files_.end(), name); }

  // Names are best asked for in order: those in one directory share what is above them.
  std::optional<RefProblem> of(const std::string& name) {
    if (has(name)) {
      return RefProblem{RefVerdict::stale, fmt::format("cannot lock ref '{}': reference already exists", name)};
    }
    if (has_file(name + ".lock")) {
      return RefProblem{RefVerdict::locked, fmt::format("cannot lock ref '{}': another process has locked it", name)};
    }
    std::string other = above(name);
    if (other.empty()) other = first_below(name + "/");
    if (other.empty()) return std::nullopt;
    return RefProblem{RefVerdict::conflict,
                      fmt::format("cannot lock ref '{}': '{}' exists; cannot create '{}'", name, other, name)};
  }

 private:
  bool has(std::string_view name) const { return has_file(name) || (packed_ != nullptr && packed_->find(name)); }

  const std::string& above(std::string_view name) {
    const std::string_view directory = name.substr(0, name.find_last_of('/') + 1);
    if (directory == directory_) return above_;
    directory_ = directory;
    above_.clear();
    for (auto slash = directory.find('/'); slash != std::string_view::npos && above_.empty();
         slash = directory.find('/', slash + 1)) {
      if (has(directory.substr(0, slash))) above_ = directory.substr(0, slash);
    }
    return above_;
  }

  std::string first_below(const std::string& directory) const {
    const auto file = std::lower_bound(files_.begin(), files_.end(), directory);
    if (file != files_.end() && file->starts_with(directory)) return *file;
    if (packed_ == nullptr) return {};
    const PackedRefs::Cursor cursor(*packed_, directory);
    return cursor.done() ? std::string() : std::string(cursor.current().name);
  }

  const std::vector<std::string> files_;
  const PackedRefs* packed_;
  std::string directory_;
  std::string above_;  // the first name above directory_ that exists; empty: none
};

bool may_be_packed(const RefUpdate& update) {
  return update.new_id && !update.new_id->is_null() && update.old_id && update.old_id->is_null() &&
         update.new_target.empty() && update.name.starts_with("refs/") && !object::is_per_worktree_ref(update.name);
}

}  // namespace

// Chooses the updates that create refs, if there are enough of them. What has a file already, such as a symbolic ref
// that leads nowhere, takes the ordinary way. With `atomic` all do: what was packed in vain could not be taken back
// before somebody has seen it.
void RefTransaction::State::choose_packed() {
  if (options.atomic) return;
  const auto count = static_cast<std::size_t>(
      std::count_if(edits.begin(), edits.end(), [](const RefEdit& edit) { return may_be_packed(edit.update()); }));
  if (count < packed_refs_min || count < refs->packed()->stamp().size_bytes / rewrite_bytes_max) return;
  const Obstacles obstacles(refs->shared_files(), nullptr);
  for (RefEdit& edit : edits) {
    edit.packs = is_live(edit) && may_be_packed(edit.update()) && !obstacles.has_file(edit.name());
  }
}

PackedRefsEditor RefTransaction::State::take_packed() const {
  const RefsOptions& settings = refs->options();
  return PackedRefsEditor::take(
      refs->packed_path(),
      {.shared_mode = settings.shared_mode, .lock_wait_ms = settings.packed_lock_wait_ms, .sync = settings.sync});
}

PackedValue RefTransaction::State::packed_value(const RefUpdate& update) const {
  PackedValue value{*update.new_id, update.peeled, update.peel_known || update.peeled.has_value()};
  if (!value.peel_known && refs->options().peel) {
    value.peeled = refs->options().peel(value.id);
    value.peel_known = true;
  }
  return value;
}

// packed-refs stays locked until the loose files are gone, even when it needs no rewriting: nobody may pack a ref that
// we are about to delete.
void RefTransaction::State::lock_packed() {
  const auto concerns = [this](const RefEdit& edit) { return is_live(edit) && (edit.packs || edit.deletes()); };
  if (std::none_of(edits.begin(), edits.end(), concerns)) return;
  try {
    packed = take_packed();
    check_packed();
    PackedChanges changes;
    for (const RefEdit& edit : edits) {
      if (!concerns(edit)) continue;
      changes[edit.name()] = edit.packs ? std::optional(packed_value(edit.update())) : std::nullopt;
    }
    packed->stage(changes);
  } catch (const Error& error) {
    packed.reset();
    if (options.atomic) throw;
    for (const RefEdit& edit : edits) {
      if (!concerns(edit)) continue;
      const char* what = edit.packs ? "lock" : "delete";
      fail(edit.outcome(),
           {RefVerdict::locked, fmt::format("cannot {} ref '{}': {}", what, edit.name(), error.message())});
    }
  }
}

// What passes will be staged; nothing else is marked any more.
void RefTransaction::State::check_packed() {
  if (std::none_of(edits.begin(), edits.end(), [](const RefEdit& edit) { return edit.packs; })) return;
  Obstacles obstacles(refs->shared_files(), &packed->current());
  for (RefEdit& edit : edits) {
    if (is_packed(edit)) {
      auto problem = obstacles.of(edit.name());
      if (!problem) problem = edit.check_object(*refs);
      if (problem) fail(edit.outcome(), std::move(*problem));
    }
    edit.packs = is_packed(edit);
  }
}

void RefTransaction::State::stage_initial() {
  fail_atomic();
  check_neighbours();
  fail_atomic();
  packed = take_packed();
  refs->for_each("", [](const Ref& ref) -> bool {
    throw Error(ErrorCode::refused,
                fmt::format("an initial transaction needs a repository without refs, but '{}' exists", ref.name));
  });
  PackedChanges changes;
  for (const RefEdit& edit : edits) {
    if (!is_live(edit)) continue;
    const RefUpdate& update = edit.update();
    if (!update.new_id || update.new_id->is_null() || update.name.substr(0, 5) != "refs/") {
      throw Error(ErrorCode::refused, fmt::format("an initial transaction cannot hold '{}': it only creates refs below "
                                                  "refs/ with object ids",
                                                  update.name));
    }
    changes[update.name] = packed_value(update);
  }
  packed->stage(changes);
}

// Where no log is to be started and no directory for one is there, nothing is looked for.
void RefTransaction::State::log_packed() {
  std::string directory;
  bool is_there = false;
  for (const RefEdit& edit : edits) {
    if (!is_packed(edit)) continue;
    const std::string log = refs->log_of(edit.name());
    if (std::string above = log.substr(0, log.find_last_of('/')); above != directory) {
      directory = std::move(above);
      is_there = base::is_directory(directory);
    }
    if (!is_there && !starts_log(edit)) continue;
    try {
      write_log(edit);
    } catch (const Error& error) {
      fail(edit.outcome(),
           {RefVerdict::failed, fmt::format("cannot update the ref '{}': {}", edit.name(), error.message())});
    }
  }
}

// Takes back the lines of refs that somebody else was creating at the same time, and of those that failed since.
void RefTransaction::State::look_again() {
  PackedChanges taken_back;
  std::optional<Obstacles> obstacles;
  for (const RefEdit& edit : edits) {
    if (!edit.packs) continue;
    if (!obstacles) obstacles.emplace(refs->shared_files(), nullptr);
    if (auto problem = obstacles->of(edit.name())) fail(edit.outcome(), std::move(*problem));
    if (!is_live(edit)) taken_back[edit.name()] = std::nullopt;
  }
  packed->stage(taken_back);
  packed->commit_staged();
}

// The log goes first: a log without its ref would be in the way of other refs.
void RefTransaction::State::rewrite_packed() {
  if (!packed) return;
  for (const RefEdit& edit : edits) {
    if (!is_live(edit) || !edit.deletes()) continue;
    remove_reflog(refs->log_of(edit.name()), kept_directory(refs->top_of(edit.name()) + "/logs", edit.name()));
  }
  log_packed();
  packed->commit_staged();
  look_again();
  for (RefEdit& edit : edits) {
    if (!is_live(edit) || !edit.deletes()) continue;
    try {
      edit.remove_loose(*refs);
    } catch (const Error& error) {
      fail(edit.outcome(),
           {RefVerdict::failed, fmt::format("could not delete reference {}: {}", edit.name(), error.message())});
    }
  }
}

}  // namespace pfetch::repo
