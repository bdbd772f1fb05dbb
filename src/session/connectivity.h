// Proves that what a pack brings is connected: every object that one of its objects names is in the pack, behind the
// boundary, or was here before and is itself proven.
//
// The record grows while the pack arrives: a name that has not come yet is noted with the kind it must have, and struck
// out when its object comes. What is left at the end must be proven by the objects that were here before. A fresh clone
// needs no walk at all.
#pragma once

#include <array>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "object/object_sink.h"
#include "session/closure.h"

namespace pfetch::session {

class Connectivity : public object::ObjectSink {
 public:
  // The kind of an object that the pack has brought already, cheaply.
  using ArrivedKind = Closure::ArrivedKind;

  // `boundary`: commits whose parents are not asked for (what .git/shallow will list).
  Connectivity(const std::vector<object::Oid>& boundary, ArrivedKind arrived);

  // Any thread.
  void accept(const object::ResolvedObject& resolved) override;

  // Something else than the pack needs this object: a commit that is no longer at the boundary names its parents.
  void expect(const object::Oid& id, object::Kind kind, const object::Oid& by) { name(id, kind, by); }

  // After the stream has ended: `tips` must have come too. `all` gives the pack's objects and those from before;
  // `before` is null where nothing was. Throws ErrorCode::corrupt naming an object that is missing or is of another
  // kind than it is named as.
  void prove(const std::vector<object::Oid>& tips, object::ObjectSource& all, const Before* before);

 private:
  static constexpr std::size_t shard_count = 64;
  struct Missing {
    object::Kind kind{};
    object::Oid by;  // the first that names it
  };
  struct Shard {
    std::mutex mutex;  // guards missing and roots
    std::unordered_map<object::Oid, Missing> missing;
    std::vector<object::Oid> roots;  // commits that came and lie at the boundary
  };

  void name(const object::Oid& id, object::Kind kind, const object::Oid& by);
  void name_parts_of(const object::ResolvedObject& resolved, Shard& shard);

  const std::unordered_set<object::Oid> boundary_;
  const ArrivedKind arrived_;
  std::array<Shard, shard_count> shards_;
};

}  // namespace pfetch::session
