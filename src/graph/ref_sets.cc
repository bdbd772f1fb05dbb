#include "graph/ref_sets.h"

#include <utility>

namespace pfetch::graph {

RefSets::Handle RefSets::make(Roaring members) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(pool_.size()));
    pool_.emplace_back();
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  pool_[place].members = std::move(members);
  pool_[place].holds = 1;
  return place | members_max;
}

RefSets::Handle RefSets::share(Handle set) {
  if (is_pooled(set)) ++at(set).holds;
  return set;
}

void RefSets::release(Handle set) {
  if (!is_pooled(set) || --at(set).holds != 0) return;
  at(set).members = Roaring();
  free_.push_back(set & ~members_max);
}

RefSets::Handle RefSets::with_member(Handle set, std::uint32_t member) {
  if (at(set).members.contains(member)) return set;
  if (at(set).holds == 1) {
    at(set).members.add(member);
    return set;
  }
  Roaring both = at(set).members;
  both.add(member);
  release(set);
  return make(std::move(both));
}

RefSets::Handle RefSets::unite(Handle a, Handle b) {
  if (a == empty) return b;
  if (b == empty) return a;
  if (a == b) {
    release(b);
    return a;
  }
  if (!is_pooled(a)) std::swap(a, b);
  if (!is_pooled(a)) {
    Roaring both;
    both.add(a);
    both.add(b);
    return make(std::move(both));
  }
  if (!is_pooled(b)) return with_member(a, b);
  if (at(a).members.isSubset(at(b).members)) std::swap(a, b);
  if (!at(b).members.isSubset(at(a).members)) {
    if (at(a).holds != 1) std::swap(a, b);
    if (at(a).holds != 1) {
      Roaring both = at(a).members | at(b).members;
      release(a);
      a = make(std::move(both));
    } else {
      at(a).members |= at(b).members;
    }
  }
  release(b);
  return a;
}

Roaring RefSets::take(Handle set) {
  Roaring members;
  if (!is_pooled(set)) {
    if (set != empty) members.add(set);
    return members;
  }
  if (at(set).holds == 1) {
    members = std::move(at(set).members);
  } else {
    members = at(set).members;
  }
  release(set);
  return members;
}

}  // namespace pfetch::graph
