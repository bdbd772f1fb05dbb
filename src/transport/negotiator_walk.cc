#include "transport/negotiator_walk.h"

#include <utility>

namespace pfetch::transport {

namespace {

enum Mark : std::uint8_t {
  known = 1,   // a tip of the other side: it is proposed, nothing behind it is
  common = 2,  // the other side has it, and need not be told
  seen = 4,    // it has been in the queue
  passed = 8,  // and was taken from it
};

}  // namespace

NegotiatorWalk::NegotiatorWalk(object::ObjectSource& source, NegotiatorOptions options)
    : options_(std::move(options)), history_(source, options_.cuts, options_.commits_max) {}

std::uint8_t& NegotiatorWalk::marks(Position position) {
  if (position >= marks_.size()) marks_.resize(history_.size());
  return marks_[position];
}

void NegotiatorWalk::restart() {
  marks_.clear();
  queue_ = {};
  interesting_ = proposed_ = known_taken_ = 0;
  begun_ = known_read_ = false;
}

void NegotiatorWalk::begin() {
  for (const Oid& id : options_.known_common) marks(history_.position_of(id)) |= known;
  for (const Oid& tip : options_.tips) {
    if (marks(history_.position_of(tip)) & known) continue;
    if (const auto commit = history_.commit_of(tip)) enter(*commit);
  }
}

std::optional<Oid> NegotiatorWalk::next() {
  if (!std::exchange(begun_, true)) begin();
  if (proposed_ >= first_round_haves && !std::exchange(known_read_, true)) read_known();
  std::optional<Oid> proposal;
  while (!proposal && interesting_ > 0) proposal = step();
  if (!proposal && !known_read_) proposal = next_known_unread();
  if (proposal) ++proposed_;
  return proposal;
}

// One that may be a tag; what it stands for is found when all of them are read.
std::optional<Oid> NegotiatorWalk::next_known_unread() {
  while (known_taken_ < options_.known_common.size()) {
    const Oid& id = options_.known_common[known_taken_++];
    std::uint8_t& own = marks(*history_.find(id));
    if (own & (common | seen)) continue;
    own |= common;
    return id;
  }
  return std::nullopt;
}

void NegotiatorWalk::read_known() {
  for (const Oid& id : options_.known_common) {
    const auto commit = history_.commit_of(id);
    if (!commit) continue;
    const bool is_told = marks(*history_.find(id)) & common;
    marks(*commit) |= known;
    if (is_told) mark_common(*commit);
    // When it was passed, what is behind it went into the queue as if it were not common.
    if (!enter(*commit) && marks(*commit) & passed) {
      for (const Position parent : history_.parents(*commit)) mark_common(parent);
    }
  }
}

// Takes the newest commit from the queue; gives it when it is to be proposed.
std::optional<Oid> NegotiatorWalk::step() {
  const Position commit = queue_.top().commit;
  queue_.pop();
  marks(commit) |= passed;
  const bool is_common = marks(commit) & common;
  const bool is_common_behind = is_common || marks(commit) & known;
  if (!is_common) --interesting_;
  bool ends = true;
  for (std::size_t i = 0; i < history_.parents(commit).size(); ++i) {
    const Position parent = history_.parents(commit)[i];
    if (is_common_behind) mark_common(parent);
    enter(parent);
    const bool is_ahead = (marks(parent) & (seen | passed)) == seen;
    if (is_ahead) ends = false;
    if (is_ahead && !is_common_behind) hand_down(commit, parent);
  }
  if (is_common || (!(marks(commit) & known) && !is_due(commit, ends))) return std::nullopt;
  return history_.id(commit);
}

// Puts the commit into the queue; false when it has been there or cannot be read.
bool NegotiatorWalk::enter(Position commit) {
  if (marks(commit) & seen || !history_.read(commit)) return false;
  marks(commit) |= seen;
  queue_.push({history_.date(commit), commit});
  if (!(marks(commit) & common)) ++interesting_;
  return true;
}

void NegotiatorWalk::ack(const Oid& id) {
  if (const auto position = history_.find(id)) mark_common(*position);
}

// Marks the commit and what is known to lie behind it; the rest is marked when the walk comes to it.
void NegotiatorWalk::mark_common(Position commit) {
  std::vector<Position> pending = {commit};
  while (!pending.empty()) {
    const Position at = pending.back();
    pending.pop_back();
    if (marks(at) & common) continue;
    marks(at) |= common;
    if ((marks(at) & (seen | passed)) == seen) --interesting_;
    const auto parents = history_.parents(at);
    pending.insert(pending.end(), parents.begin(), parents.end());
  }
}

}  // namespace pfetch::transport
