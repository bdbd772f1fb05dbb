#include "graph/wanted_set.h"

namespace pfetch::graph {

WantedSet::WantedSet(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) {
  for (const object::Oid& id : wanted) states_.emplace(id, State::open);
  open_count_ = states_.size();
  for (std::size_t i = 0; i < tips.size() && !done(); ++i) mark_reached(tips[i]);
}

std::vector<object::Oid> WantedSet::open() const {
  std::vector<object::Oid> ids;
  for (const auto& [id, state] : states_) {
    if (state == State::open) ids.push_back(id);
  }
  return ids;
}

void WantedSet::close(const object::Oid& id, State state) {
  const auto at = states_.find(id);
  if (at == states_.end() || at->second != State::open) return;
  at->second = state;
  --open_count_;
}

std::vector<bool> WantedSet::answers(std::span<const object::Oid> wanted) const {
  std::vector<bool> reached;
  for (const object::Oid& id : wanted) reached.push_back(states_.at(id) == State::reached);
  return reached;
}

}  // namespace pfetch::graph
