// One ref of a transaction: locked, checked, written, published or put back. A part of repo/ref_transaction, for that
// room alone. One thread. I/O trouble throws pfetch::Error; everything else that is wrong with the ref is a RefProblem.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/lock_file.h"
#include "object/oid.h"
#include "repo/packed_refs.h"
#include "repo/ref_transaction.h"
#include "repo/refs.h"

namespace pfetch::repo {

struct RefProblem {
  RefVerdict verdict;
  std::string message;
};

class RefEdit {
 public:
  static constexpr std::size_t no_source = static_cast<std::size_t>(-1);

  RefEdit(RefUpdate update, std::size_t outcome) : update_(std::move(update)), outcome_(outcome) {}

  // An edit that only writes a log: of a symbolic ref, for the change of the ref at `source` that it points to.
  bool log_only = false;
  std::size_t source = no_source;
  // A new ref that becomes a line of packed-refs, with no lock of its own.
  bool packs = false;

  const RefUpdate& update() const { return update_; }
  const std::string& name() const { return update_.name; }
  std::size_t outcome() const { return outcome_; }
  bool deletes() const { return !log_only && update_.new_id && update_.new_id->is_null(); }
  bool writes() const { return writes_; }
  const object::Oid& old_id() const { return old_id_; }
  // The value after the transaction: the new id, or the old one if that stays.
  const object::Oid& resulting_id() const { return update_.new_id ? *update_.new_id : old_id_; }

  // Takes the lock and reads what is there.
  std::optional<RefProblem> lock(const Refs& refs);
  // Compares old values, looks for conflicts, writes the new value into the lock.
  std::optional<RefProblem> check_and_write(const Refs& refs);

  // Whether the new value may be given to a ref of this name.
  std::optional<RefProblem> check_object(const Refs& refs) const;

  // Renames the lock over the ref. The lock is gone after it.
  void publish(const Refs& refs);
  // Removes the loose file of a deleted ref, if there is one.
  void remove_loose(const Refs& refs);
  // After publish or remove_loose: makes the file what it was. Best effort.
  void put_back(const Refs& refs) noexcept;
  // Gives the lock back, and removes directories that were made for it or are empty now.
  void release(const Refs& refs) noexcept;

 private:
  struct Held {
    base::LockFile lock;
    LooseRef before;  // the loose file as it was
  };

  std::optional<RefProblem> check_old_value() const;
  std::optional<RefProblem> check_room(const Refs& refs) const;
  void write_lock(const Refs& refs, std::string_view content);
  RefProblem cannot_lock(RefVerdict verdict, std::string_view why) const;

  RefUpdate update_;
  std::size_t outcome_;
  object::Oid old_id_;   // null: did not exist
  bool exists_ = false;  // loose or packed
  bool was_symbolic_ = false;
  bool writes_ = false;         // the lock holds a new value
  bool changed_ = false;        // published or removed
  std::unique_ptr<Held> held_;  // null before `lock`
};

// The directory below which empty directories go away together with a ref: "<top>/refs/heads".
std::string kept_directory(const std::string& top, std::string_view name);

}  // namespace pfetch::repo
