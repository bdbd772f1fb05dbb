#include "transport/negotiator_history.h"

#include "base/error.h"
#include "object/commit_view.h"
#include "object/tag_view.h"

namespace pfetch::transport {

namespace {

constexpr int tag_depth_max = 64;
constexpr std::size_t slots_at_first = 64;

std::optional<Oid> tag_target(const Oid& id, base::Bytes bytes) {
  try {
    return object::TagView(id, bytes).target_id();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

NegotiatorHistory::NegotiatorHistory(object::ObjectSource& source, std::span<const Oid> cuts, std::size_t commits_max)
    : source_(source), cuts_(cuts.begin(), cuts.end()), commits_max_(commits_max), slots_(slots_at_first, empty) {}

// Where `id` is, or the free slot where it would be.
std::size_t NegotiatorHistory::slot_of(const Oid& id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<Oid>()(id) & mask;
  while (slots_[slot] != empty && nodes_[slots_[slot]].id != id) slot = (slot + 1) & mask;
  return slot;
}

void NegotiatorHistory::grow() {
  slots_.assign(slots_.size() * 2, empty);
  for (std::size_t i = 0; i < nodes_.size(); ++i) slots_[slot_of(nodes_[i].id)] = static_cast<Position>(i);
}

NegotiatorHistory::Position NegotiatorHistory::position_of(const Oid& id) {
  std::size_t slot = slot_of(id);
  if (slots_[slot] != empty) return slots_[slot];
  if (nodes_.size() >= slots_.size() / 4 * 3) {
    grow();
    slot = slot_of(id);
  }
  slots_[slot] = static_cast<Position>(nodes_.size());
  nodes_.push_back({id});
  return slots_[slot];
}

std::optional<NegotiatorHistory::Position> NegotiatorHistory::find(const Oid& id) const {
  const Position position = slots_[slot_of(id)];
  return position == empty ? std::nullopt : std::optional(position);
}

std::optional<NegotiatorHistory::Position> NegotiatorHistory::commit_of(const Oid& tip) {
  Oid id = tip;
  for (int depth = 0; depth < tag_depth_max; ++depth) {
    const Position position = position_of(id);
    if (nodes_[position].state == State::commit) return position;
    if (nodes_[position].state == State::nothing || commits_read_ >= commits_max_) return std::nullopt;
    // What a ref names may be a large blob, which is not to be read.
    const auto info = source_.info(id);
    if (info && info->kind == object::Kind::commit) return read(position) ? std::optional(position) : std::nullopt;
    if (!info || info->kind != object::Kind::tag) return std::nullopt;
    const auto tag = source_.read(id);
    ++commits_read_;
    const auto target_id = tag ? tag_target(id, tag->bytes.view()) : std::nullopt;
    if (!target_id) return std::nullopt;
    id = *target_id;
  }
  return std::nullopt;
}

bool NegotiatorHistory::read(Position commit) {
  if (nodes_[commit].state != State::unread) return nodes_[commit].state == State::commit;
  if (commits_read_ >= commits_max_) return false;
  const auto object = source_.read(nodes_[commit].id);
  nodes_[commit].state = State::nothing;
  if (!object || object->kind != object::Kind::commit) return false;
  ++commits_read_;
  nodes_[commit].state = State::commit;
  take_commit(commit, object->bytes.view());
  return true;
}

void NegotiatorHistory::take_commit(Position commit, base::Bytes bytes) {
  const Oid id = nodes_[commit].id;
  try {
    const object::CommitView view(id, bytes);
    nodes_[commit].date = view.committer_date();
    if (cuts_.contains(id)) return;
    nodes_[commit].first_parent = parents_.size();
    for (const Oid parent : view.parents()) parents_.push_back(position_of(parent));
    nodes_[commit].parent_count = static_cast<std::uint32_t>(parents_.size() - nodes_[commit].first_parent);
  } catch (const Error&) {
    return;
  }
}

}  // namespace pfetch::transport
