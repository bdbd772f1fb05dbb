#include "repo/ref_edit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/fd.h"
#include "object/ref_name.h"
#include "repo/ref_files.h"

namespace pfetch::repo {

using object::Oid;

std::string kept_directory(const std::string& top, std::string_view name) {
  // Two components stay, so that "refs/heads" does not come and go.
  const auto first = name.find('/');
  const auto second = first == std::string_view::npos ? first : name.find('/', first + 1);
  if (second == std::string_view::npos) return top + "/refs";
  return top + "/" + std::string(name.substr(0, second));
}

RefProblem RefEdit::cannot_lock(RefVerdict verdict, std::string_view why) const {
  return {verdict, fmt::format("cannot lock ref '{}': {}", name(), why)};
}

std::optional<RefProblem> RefEdit::lock(const Refs& refs) {
  held_ = std::make_unique<Held>();
  const std::string file = refs.file_of(name());
  for (int attempt = 0;; ++attempt) {
    try {
      make_parent_directories(file, refs.options().shared_mode);
      held_->lock = base::LockFile::take(file, 0666, refs.options().lock_wait_ms);
      break;
    } catch (const Error& error) {
      if (base::path_exists(file + ".lock")) return cannot_lock(RefVerdict::locked, error.message());
      // A ref where a directory must be; or a directory that another process removed as we came.
      const auto other = refs.conflicting_ref(name(), *refs.packed());
      if (other) {
        return cannot_lock(RefVerdict::conflict, fmt::format("'{}' exists; cannot create '{}'", *other, name()));
      }
      if (error.code() == ErrorCode::not_found && attempt < 3) continue;
      return cannot_lock(RefVerdict::failed, error.message());
    }
  }
  refs.options().shared_mode.adjust_path(held_->lock.lock_path());
  held_->lock.close();

  held_->before = read_loose_ref(file);
  switch (held_->before.state) {
    case LooseRef::State::direct:
      old_id_ = held_->before.id;
      exists_ = true;
      break;
    case LooseRef::State::symbolic: {
      const auto end = refs.resolve(name());
      if (end && end->trouble.empty()) old_id_ = end->id;
      was_symbolic_ = true;
      exists_ = true;
      break;
    }
    case LooseRef::State::broken:
      exists_ = true;
      break;
    case LooseRef::State::missing:
    case LooseRef::State::directory: {
      // The snapshot is renewed under our lock: the ref may just have been packed.
      const auto packed = refs.packed();
      const auto found = packed->find(name());
      exists_ = found.has_value();
      if (found) old_id_ = found->id;
    }
  }
  return std::nullopt;
}

std::optional<RefProblem> RefEdit::check_old_value() const {
  const bool overwrites_anything = deletes() && !update_.old_id;  // a broken ref may be deleted
  if (held_->before.state == LooseRef::State::broken && !overwrites_anything) {
    return cannot_lock(RefVerdict::broken,
                       fmt::format("unable to resolve reference '{}': {}", name(), held_->before.trouble));
  }
  if (!update_.old_id || *update_.old_id == old_id_) return std::nullopt;
  if (update_.old_id->is_null()) return cannot_lock(RefVerdict::stale, "reference already exists");
  if (!exists_) {
    return cannot_lock(RefVerdict::stale, fmt::format("unable to resolve reference '{}'", name()));
  }
  if (old_id_.is_null()) {
    return cannot_lock(RefVerdict::stale, fmt::format("reference is missing but expected {}", update_.old_id->hex()));
  }
  return cannot_lock(RefVerdict::stale, fmt::format("is at {} but expected {}", old_id_.hex(), update_.old_id->hex()));
}

// Whether a new ref has room among the others.
std::optional<RefProblem> RefEdit::check_room(const Refs& refs) const {
  if (exists_) return std::nullopt;
  if (const auto other = refs.conflicting_ref(name(), *refs.packed())) {
    return cannot_lock(RefVerdict::conflict, fmt::format("'{}' exists; cannot create '{}'", *other, name()));
  }
  const std::string file = refs.file_of(name());
  if (held_->before.state == LooseRef::State::directory && !remove_empty_directories(file)) {
    return cannot_lock(RefVerdict::conflict,
                       fmt::format("there is a non-empty directory '{}' blocking reference '{}'", file, name()));
  }
  return std::nullopt;
}

std::optional<RefProblem> RefEdit::check_object(const Refs& refs) const {
  if (!refs.options().kind_of || !update_.new_id) return std::nullopt;
  const auto kind = refs.options().kind_of(*update_.new_id);
  if (!kind) {
    return RefProblem{RefVerdict::bad_object,
                      fmt::format("cannot update ref '{}': trying to write ref '{}' with nonexistent object {}", name(),
                                  name(), update_.new_id->hex())};
  }
  if (*kind != object::Kind::commit && object::is_branch_name(name())) {
    return RefProblem{RefVerdict::bad_object,
                      fmt::format("cannot update ref '{}': trying to write non-commit object {} to branch '{}'", name(),
                                  update_.new_id->hex(), name())};
  }
  return std::nullopt;
}

std::optional<RefProblem> RefEdit::check_and_write(const Refs& refs) {
  if (log_only) return std::nullopt;
  if (auto problem = check_old_value()) return problem;
  if (!update_.new_target.empty()) {
    if (auto problem = check_room(refs)) return problem;
    write_lock(refs, "ref: " + update_.new_target + "\n");
    return std::nullopt;
  }
  if (!update_.new_id || deletes()) return std::nullopt;
  if (auto problem = check_room(refs)) return problem;
  if (auto problem = check_object(refs)) return problem;
  if (exists_ && !was_symbolic_ && *update_.new_id == old_id_) return std::nullopt;  // has the value already
  write_lock(refs, update_.new_id->hex() + "\n");
  return std::nullopt;
}

void RefEdit::write_lock(const Refs& refs, std::string_view content) {
  const base::UniqueFd fd = base::open_file(held_->lock.lock_path(), O_WRONLY | O_TRUNC);
  base::write_all(fd.get(), base::as_bytes(content), held_->lock.lock_path());
  if (refs.options().sync) base::sync_fd(fd.get(), held_->lock.lock_path());
  writes_ = true;
}

void RefEdit::publish(const Refs& refs) {
  const std::string file = refs.file_of(name());
  if (base::is_directory(file)) remove_empty_directories(file);  // made since we looked
  held_->lock.commit();
  changed_ = true;
}

void RefEdit::remove_loose(const Refs& refs) {
  if (held_->before.state == LooseRef::State::missing || held_->before.state == LooseRef::State::directory) return;
  const std::string file = refs.file_of(name());
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) throw_errno(errno, "unable to remove", file);
  changed_ = true;
}

void RefEdit::put_back(const Refs& refs) noexcept {
  if (!changed_) return;
  changed_ = false;
  try {
    const std::string file = refs.file_of(name());
    if (held_->before.state != LooseRef::State::direct && held_->before.state != LooseRef::State::symbolic) {
      ::unlink(file.c_str());
      return;
    }
    held_->lock.rollback();
    base::LockFile again = base::LockFile::take(file, 0666, refs.options().lock_wait_ms);
    refs.options().shared_mode.adjust_path(again.lock_path());
    again.write(held_->before.state == LooseRef::State::direct ? held_->before.id.hex() + "\n"
                                                               : "ref: " + held_->before.target + "\n");
    again.commit();
  } catch (...) {
    // The first error is the one to report; this ref keeps its new value.
  }
}

void RefEdit::release(const Refs& refs) noexcept {
  try {
    if (held_ && held_->lock.held()) held_->lock.rollback();
    remove_empty_parents(refs.file_of(name()), kept_directory(refs.top_of(name()), name()));
  } catch (...) {
    // Out of memory for a path: the lock is gone, an empty directory may stay.
  }
}

}  // namespace pfetch::repo
