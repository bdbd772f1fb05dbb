// The refs of a repository, in Git's "files" format: loose files over packed-refs, symbolic refs followed.
//
// `Refs` reads; repo/ref_transaction writes. Reading takes no lock and may be done from any thread while Git or pfetch
// write: a loose file is looked at first, then packed-refs, of which a mapped snapshot is kept and renewed when the
// file changes. Refs of one worktree (HEAD, refs/bisect/, refs/worktree/, refs/rewritten/) are in `git_dir`, all others
// in `common_dir`. Broken refs are data; a damaged packed-refs or an I/O failure throws pfetch::Error.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/oid.h"
#include "repo/loose_refs.h"
#include "repo/packed_refs.h"
#include "repo/reflog.h"
#include "repo/shared_mode.h"

namespace pfetch::repo {

struct RefsOptions {
  std::string git_dir{};
  std::string common_dir{};  // empty: git_dir
  bool bare = false;
  LogRefs log_refs = LogRefs::unset;
  SharedMode shared_mode{};        // core.sharedRepository
  bool sync = true;                // core.fsync includes `reference`
  int lock_wait_ms = 100;          // core.filesRefLockTimeout
  int packed_lock_wait_ms = 1000;  // core.packedRefsTimeout
  std::string namespace_prefix{};  // "refs/namespaces/x/" or empty; for whoever serves a namespace
  // The reference-transaction hook. Empty `hooks_dir`: no hook is run.
  std::string hooks_dir{};
  std::string hook_directory{};  // where it runs: the worktree, or git_dir when bare
  std::vector<std::pair<std::string, std::optional<std::string>>> hook_environment{};
  // What a tag points to in the end, nullopt for any other object. Without it, peeled values of new packed refs are
  // unknown.
  std::function<std::optional<object::Oid>(const object::Oid&)> peel{};
  // With it, a new value must exist, and that of a branch must be a commit.
  std::function<std::optional<object::Kind>(const object::Oid&)> kind_of{};
};

struct Ref {
  std::string name{};
  object::Oid id{};             // null: an unborn branch behind a symbolic ref, or broken
  std::string symref_target{};  // what the ref itself names; empty: not symbolic
  std::optional<object::Oid> peeled{};
  bool peel_known = false;
  std::string trouble{};  // not empty: the ref is broken, and why

  bool is_symbolic() const { return !symref_target.empty(); }
  bool is_broken() const { return !trouble.empty(); }
  friend bool operator==(const Ref&, const Ref&) = default;
};

// Where following a name ended.
struct ResolvedRef {
  std::string name{};     // the last name: a branch for HEAD, the name itself for a plain ref
  object::Oid id{};       // null when `name` does not exist yet
  bool followed = false;  // at least one symbolic ref lay in between
  std::string trouble{};  // not empty: broken on the way
};

class Refs {
 public:
  static constexpr int symref_depth_max = 5;

  static std::shared_ptr<Refs> open(RefsOptions options);

  const RefsOptions& options() const { return options_; }

  // The ref of that exact name, with symbolic refs followed for `id`; nullopt when there is none. Names that cannot be
  // refs are not there.
  std::optional<Ref> read(std::string_view name) const;
  // Follows `name` through symbolic refs; nullopt when the name itself does not exist.
  std::optional<ResolvedRef> resolve(std::string_view name) const;
  // HEAD, with `symref_target` empty when detached. Throws ErrorCode::not_found without one.
  Ref head() const;
  // The first of the lookup rules of gitrevisions(7) that exists: a full ref for "main", "v1" or "origin".
  std::optional<Ref> find_short(std::string_view name) const;

  // Every ref below refs/ whose name begins with `prefix`, in the order of names, broken ones included, until `visit`
  // returns false. No lock is held while `visit` runs.
  void for_each(std::string_view prefix, const std::function<bool(const Ref&)>& visit) const;
  std::vector<Ref> list(std::string_view prefix) const;

  // A ref that stands in the way of creating `name`: a part of it ("foo" for "foo/bar"), or one below it.
  std::optional<std::string> conflicting_ref(std::string_view name, const PackedRefs& packed) const;

  // The file of a loose ref and of its log. The name must be valid or safe (object/ref_name).
  std::string file_of(std::string_view name) const { return place_of(name).first + "/" + place_of(name).second; }
  std::string log_of(std::string_view name) const { return place_of(name).first + "/logs/" + place_of(name).second; }
  // The directory that `name` is a path below.
  std::string top_of(std::string_view name) const { return place_of(name).first; }
  std::string packed_path() const { return options_.common_dir + "/packed-refs"; }

  // The names of all refs that have a log, in order; those of HEAD and this worktree included.
  std::vector<std::string> list_logs() const;

  // The names of all files below refs/ that all worktrees share, locks ("<ref>.lock") among them, in order.
  std::vector<std::string> shared_files() const;

  // The current snapshot.
  std::shared_ptr<const PackedRefs> packed() const;

 private:
  explicit Refs(RefsOptions options) : options_(std::move(options)) {}
  std::pair<std::string, std::string> place_of(std::string_view name) const;
  std::vector<std::string> loose_names(std::string_view prefix, const std::string& below) const;
  std::optional<Ref> read_one(std::string_view name, const PackedRefs* packed) const;
  void follow(Ref& ref) const;

  RefsOptions options_;
  mutable std::mutex mutex_;  // guards packed_
  mutable std::shared_ptr<const PackedRefs> packed_;
};

}  // namespace pfetch::repo
