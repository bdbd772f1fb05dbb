// Proves that what a pack brings is connected: every object that one of its objects names is in the pack, behind the
// boundary, or was here before and is itself proven.
//
// The record grows while the pack arrives: a name that has not come yet is noted with the kind it must have, and struck
// out when its object comes. What is left at the end must be proven by the objects that were here before. A fresh clone
// needs no walk at all.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "object/object_sink.h"
#include "object/object_source.h"

namespace pfetch::session {

class Connectivity : public object::ObjectSink {
 public:
  // The kind of an object that the pack has brought already, cheaply.
  using ArrivedKind = std::function<std::optional<object::Kind>(const object::Oid&)>;

  // `boundary`: commits whose parents are not asked for (what .git/shallow will list).
  Connectivity(const std::vector<object::Oid>& boundary, ArrivedKind arrived);

  // Any thread.
  void accept(const object::ResolvedObject& resolved) override;

  // After the stream has ended: `tips` must have come too. `before` gives what was here before the pack (null: nothing)
  // and `before_tips` are the refs that existed. Throws ErrorCode::corrupt naming an object that is missing or is of
  // another kind than it is named as.
  void prove(const std::vector<object::Oid>& tips, object::ObjectSource* before,
             const std::vector<object::Oid>& before_tips);

 private:
  static constexpr std::size_t shard_count = 64;
  struct Shard {
    std::mutex mutex;  // guards missing
    std::unordered_map<object::Oid, object::Kind> missing;
  };

  void name(const object::Oid& id, object::Kind kind, const object::Oid& by);
  void name_parts_of(const object::ResolvedObject& resolved);
  void prove_before(std::vector<std::pair<object::Oid, object::Kind>> named, object::ObjectSource& before,
                    const std::vector<object::Oid>& before_tips);

  const std::unordered_set<object::Oid> boundary_;
  const ArrivedKind arrived_;
  std::array<Shard, shard_count> shards_;
};

}  // namespace pfetch::session
