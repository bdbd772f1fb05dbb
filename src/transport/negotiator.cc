#include "transport/negotiator.h"

#include <charconv>
#include <string_view>

namespace pfetch::transport {

namespace {

constexpr int tag_depth_max = 64;

// The text of the header line that begins with `name` and a space, taken off `text`; nullopt if it is not next.
std::optional<std::string_view> take_header(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with(' ')) return std::nullopt;
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view value = text.substr(name.size() + 1, end - name.size() - 1);
  text.remove_prefix(end + 1);
  return value;
}

struct CommitHead {
  std::vector<Oid> parents;
  std::int64_t date = 0;
};

// Parents and committer date. A damaged commit gives what could be read: it is a proposal, not a verdict.
CommitHead read_head(std::string_view text) {
  CommitHead head;
  take_header(text, "tree");
  while (const auto parent = take_header(text, "parent")) {
    if (const auto id = Oid::from_hex(*parent)) head.parents.push_back(*id);
  }
  take_header(text, "author");
  if (const auto committer = take_header(text, "committer")) {
    const auto mail_end = committer->rfind("> ");
    if (mail_end != std::string_view::npos) {
      const std::string_view date = committer->substr(mail_end + 2);
      std::from_chars(date.data(), date.data() + date.size(), head.date);
    }
  }
  return head;
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
      CommitHead head = read_head(object->bytes.text());
      seen_[id] = {std::move(head.parents), false, true};
      queue_.push({head.date, id});
      ++interesting_;
      return;
    }
    std::string_view text = object->bytes.text();
    const auto target = take_header(text, "object");
    const auto target_id = target ? Oid::from_hex(*target) : std::nullopt;
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
