// Proves that objects which were here before a pack came are whole, down to their leaves.
//
// A commit that a ref reaches is whole: the ref was complete before. Anything else may be garbage whose parts have been
// pruned, and is walked: through the pack's objects and the old ones alike, as far as what is proven already. So that
// a small change costs little, trees of the pack are first held against the trees they were made from: an entry that is
// the same in both is proven, and nothing below it is read.
//
// One thread. Throws ErrorCode::corrupt naming the object that is missing or of another kind than it is named as.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/reachability.h"
#include "object/object_source.h"

namespace pfetch::session {

// A repository as it was before the pack.
struct Before {
  object::ObjectSource& objects;
  std::span<const object::Oid> tips;  // what its refs point to; ascending
  graph::Reachability& reachability;  // over its commits
  // Commits that the tips reach and whose trees the pack's trees resemble: what refs had before they move.
  std::span<const object::Oid> similar{};
  // Whether an object has a file of its own or is in a pack; any thread. The source may know others.
  std::function<bool(const object::Oid&)> stores{};
};

struct NamedObject {
  object::Oid id;
  object::Kind kind{};
  object::Oid by{};  // what names it; null: a tip
};

class Closure {
 public:
  using ArrivedKind = std::function<std::optional<object::Kind>(const object::Oid&)>;

  // `all` gives the pack's objects and the old ones. A commit in `boundary` needs no parents.
  Closure(const Before& before, object::ObjectSource& all, const std::unordered_set<object::Oid>& boundary,
          const ArrivedKind& arrived)
      : before_(before), all_(all), boundary_(boundary), arrived_(arrived) {}

  // `named`: what the pack names and did not bring. `roots`: commits of the pack without parents here.
  void prove(const std::vector<NamedObject>& named, const std::vector<object::Oid>& roots);

 private:
  bool is_proven(const object::Oid& id) const;
  void take_reached(const std::vector<object::Oid>& commits);
  void compare_commits(const object::Oid& arrived, const object::Oid& proven);
  void compare_trees(const object::Oid& arrived, const object::Oid& proven);
  void walk(std::vector<NamedObject> pending);
  void require_there(const NamedObject& named);
  void name_parts_of(const NamedObject& whole, std::vector<NamedObject>& pending);
  std::optional<object::Oid> tree_of(const object::Oid& commit);

  const Before& before_;
  object::ObjectSource& all_;
  const std::unordered_set<object::Oid>& boundary_;
  const ArrivedKind& arrived_;
  std::unordered_set<object::Oid> proven_;
  std::unordered_set<object::Oid> compared_;  // trees of the pack
};

// Calls `visit(id, kind)` for each object that an object names: tree and parents, entries, target. Without
// `with_parents` a commit names its tree alone; a gitlink names nothing.
void for_each_named(const object::Oid& id, object::Kind kind, base::Bytes bytes, bool with_parents,
                    const std::function<void(const object::Oid&, object::Kind)>& visit);

// Throws unless both are the same.
void require_kind(const object::Oid& id, object::Kind is, object::Kind named);

[[noreturn]] void throw_missing(const NamedObject& named);

}  // namespace pfetch::session
