// Changing refs: all of a transaction's refs are locked and checked before the first is changed.
//
// The order is Git's (files backend): `prepare` takes `<ref>.lock` for each ref (the descriptor is closed while the
// lock is held), compares old values, refuses names that stand in each other's way, and writes the new values into the
// locks; then the hook is asked. `commit` appends to reflogs, renames the locks over the refs, and deletes what is to
// be deleted: its log first, then its line in packed-refs (one rewrite for all), then its file. Until commit has been
// called, and when anything throws, the old state stands and no lock is left.
//
// A hundred new refs or more, in a transaction that is not atomic, go into packed-refs in the same one rewrite, without
// locks of their own (ref_transaction_packed.cc says why that is safe). One that somebody else creates at the same time
// is `stale` or `locked`, which may show only in `commit`.
//
// Trouble with one ref is data (`RefOutcome`). With `atomic`, the first such trouble fails the whole transaction.
//
// RefsTransaction is a seam (fake it in tests); RefTransaction is the one that writes files. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/oid.h"
#include "repo/refs.h"

namespace pfetch::repo {

struct RefUpdate {
  std::string name{};
  std::optional<object::Oid> new_id{};  // null id: delete; nullopt: leave the value
  std::optional<object::Oid> old_id{};  // what it must be now; null id: must not exist; nullopt: anything
  std::string new_target{};             // make it a symbolic ref to this name (no object id is needed)
  std::string message{};                // for the reflogs
  bool no_deref = false;                // change a symbolic ref itself, not what it points to (detached HEAD)
  bool create_reflog = false;           // start a log even where core.logAllRefUpdates does not
  // What a tag points to in the end, if the caller knows; used when the ref goes into packed-refs.
  std::optional<object::Oid> peeled{};
  bool peel_known = false;
};

enum class RefVerdict {
  accepted,
  bad_name,    // no valid name, or no safe one for a deletion
  conflict,    // "foo" beside "foo/bar", or a directory that is not empty
  duplicate,   // the transaction changes it twice
  stale,       // the old value is another than expected
  locked,      // somebody else holds the lock
  broken,      // what is stored cannot be read
  bad_object,  // the new object does not exist, or is no commit and the ref a branch
  failed,      // an I/O error on this ref
};

struct RefOutcome {
  std::string name;
  RefVerdict verdict = RefVerdict::accepted;
  std::string message;  // in Git's words: "cannot lock ref '…': is at … but expected …"

  bool ok() const { return verdict == RefVerdict::accepted; }
};

class RefsTransaction {
 public:
  virtual ~RefsTransaction() = default;
  virtual void update(RefUpdate update) = 0;
  // One outcome for each update, in order. With `atomic` throws ErrorCode::refused with the first trouble.
  virtual const std::vector<RefOutcome>& prepare() = 0;
  // Applies what was accepted. Outcomes may still turn to `failed` (a full disk); with `atomic` that throws, and the
  // refs that had been written are put back (their reflogs keep the lines). Deletions come last and are not taken back.
  virtual const std::vector<RefOutcome>& commit() = 0;
  // Gives all locks back. Nothing after commit.
  virtual void abort() noexcept = 0;
  virtual const std::vector<RefOutcome>& outcomes() const = 0;

  void create(std::string name, const object::Oid& new_id, std::string message);
  void remove(std::string name, std::optional<object::Oid> old_id, std::string message = {});
  void verify(std::string name, const object::Oid& old_id);
  void set_symbolic(std::string name, std::string target, std::string message = {});
};

struct RefTransactionOptions {
  bool atomic = true;
  // For a repository that has no refs yet: everything goes into packed-refs in one rewrite, and no reflog is written,
  // as `git clone` does with what it fetched. Only new refs below refs/. (HEAD, the branch that is checked out and
  // refs/remotes/<name>/HEAD are then set by an ordinary transaction, loose and with reflogs.)
  bool initial = false;
  bool run_hook = true;
  std::string ident{};  // for reflogs: "Name <mail> seconds zone" (repo/ident); empty: no reflog is written
};

class RefTransaction final : public RefsTransaction {
 public:
  RefTransaction(std::shared_ptr<const Refs> refs, RefTransactionOptions options);
  ~RefTransaction() override;  // aborts what was not committed

  void update(RefUpdate update) override;
  const std::vector<RefOutcome>& prepare() override;
  const std::vector<RefOutcome>& commit() override;
  void abort() noexcept override;
  const std::vector<RefOutcome>& outcomes() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pfetch::repo
