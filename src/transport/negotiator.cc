#include "transport/negotiator.h"

#include "base/error.h"
#include "object/commit_view.h"
#include "object/tag_view.h"

namespace pfetch::transport {

namespace {

constexpr int tag_depth_max = 64;

struct CommitHead {
  std::vector<Oid> parents;
  std::int64_t date = 0;
};

// A damaged commit has no parents: it is a proposal, not a verdict.
CommitHead read_head(const Oid& id, base::Bytes bytes) {
  CommitHead head;
  try {
    const object::CommitView commit(id, bytes);
    for (const Oid parent : commit.parents()) head.parents.push_back(parent);
    head.date = commit.committer_date();
  } catch (const Error&) {
    head.parents.clear();
  }
  return head;
}

std::optional<Oid> tag_target(const Oid& id, base::Bytes bytes) {
  try {
    return object::TagView(id, bytes).target_id();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

ConsecutiveNegotiator::ConsecutiveNegotiator(object::ObjectSource& source, std::span<const Oid> tips,
                                             std::size_t commits_max)
    : source_(source), commits_left_(commits_max) {
  for (const Oid& tip : tips) add(tip);
}

// Puts the commit (or the one that the tag stands for) into the queue, once.
void ConsecutiveNegotiator::add(Oid id) {
  for (int depth = 0; depth < tag_depth_max; ++depth) {
    if (seen_.contains(id) || commits_left_ == 0) return;
    const auto info = source_.info(id);
    if (!info || (info->kind != object::Kind::commit && info->kind != object::Kind::tag)) return;
    const auto object = source_.read(id);
    if (!object) return;
    --commits_left_;
    if (object->kind == object::Kind::commit) {
      CommitHead head = read_head(id, object->bytes.view());
      seen_[id] = {std::move(head.parents), false, true};
      queue_.push({head.date, id});
      ++interesting_;
      return;
    }
    const auto target_id = tag_target(id, object->bytes.view());
    if (!target_id) return;
    id = *target_id;
  }
}

std::optional<Oid> ConsecutiveNegotiator::next() {
  while (interesting_ > 0) {
    const Oid id = queue_.top().id;
    queue_.pop();
    Seen& taken = seen_[id];
    taken.waiting = false;
    const bool is_common = taken.common;
    if (!is_common) --interesting_;
    const std::vector<Oid> parents = taken.parents;
    for (const Oid& parent : parents) add(parent);
    if (!is_common) return id;
    for (const Oid& parent : parents) mark_common(parent);
  }
  return std::nullopt;
}

void ConsecutiveNegotiator::ack(const Oid& id) {
  mark_common(id);
}

// Marks the commit and what is known to lie behind it; the rest is marked when the walk comes to it.
void ConsecutiveNegotiator::mark_common(const Oid& id) {
  std::vector<Oid> pending = {id};
  while (!pending.empty()) {
    const auto at = seen_.find(pending.back());
    pending.pop_back();
    if (at == seen_.end() || at->second.common) continue;
    at->second.common = true;
    if (at->second.waiting) --interesting_;
    pending.insert(pending.end(), at->second.parents.begin(), at->second.parents.end());
  }
}

}  // namespace pfetch::transport
