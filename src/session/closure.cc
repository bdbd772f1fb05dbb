#include "session/closure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "object/commit_view.h"
#include "object/tag_view.h"
#include "object/tree_view.h"

namespace pfetch::session {

namespace {

constexpr std::size_t similar_max = 16;  // trees of the pack are held against no more than so many

}  // namespace

void for_each_named(const object::Oid& id, object::Kind kind, base::Bytes bytes, bool with_parents,
                    const std::function<void(const object::Oid&, object::Kind)>& visit) {
  switch (kind) {
    case object::Kind::commit: {
      const object::CommitView commit(id, bytes);
      visit(commit.tree_id(), object::Kind::tree);
      if (!with_parents) break;
      for (const object::Oid parent : commit.parents()) visit(parent, object::Kind::commit);
      break;
    }
    case object::Kind::tree:
      for (const object::TreeEntry& entry : object::TreeView(id, bytes)) {
        if (!entry.is_gitlink()) visit(entry.id(), entry.kind());
      }
      break;
    case object::Kind::tag: {
      const object::TagView tag(id, bytes);
      visit(tag.target_id(), tag.target_kind());
      break;
    }
    case object::Kind::blob:
      break;
  }
}

void require_kind(const object::Oid& id, object::Kind is, object::Kind named) {
  if (is == named) return;
  throw Error(ErrorCode::corrupt,
              fmt::format("object {} is a {}, not a {}", id.hex(), object::kind_name(is), object::kind_name(named)));
}

void throw_missing(const NamedObject& named) {
  const std::string by = named.by.is_null() ? "" : fmt::format(", which {} names", named.by.hex());
  throw Error(ErrorCode::corrupt, fmt::format("remote did not send all necessary objects: missing {} {}{}",
                                              object::kind_name(named.kind), named.id.hex(), by));
}

void Closure::prove(const std::vector<NamedObject>& named, const std::vector<object::Oid>& roots) {
  std::vector<object::Oid> commits;
  for (const NamedObject& one : named) {
    if (one.kind == object::Kind::commit && !is_proven(one.id)) commits.push_back(one.id);
  }
  take_reached(commits);
  for (const NamedObject& one : named) {
    const bool is_edge = one.kind == object::Kind::commit && !one.by.is_null() && is_proven(one.id);
    if (is_edge) compare_commits(one.by, one.id);
  }
  const auto similar = before_.similar.first(std::min(before_.similar.size(), similar_max));
  for (const object::Oid& root : std::span(roots).first(std::min(roots.size(), similar_max))) {
    for (const object::Oid& commit : similar) compare_commits(root, commit);
  }
  walk(named);
}

bool Closure::is_proven(const object::Oid& id) const {
  return proven_.contains(id) || std::binary_search(before_.tips.begin(), before_.tips.end(), id);
}

// Those of `commits` that a ref reaches are proven.
void Closure::take_reached(const std::vector<object::Oid>& commits) {
  const std::vector<bool> reached = before_.reachability.reached(before_.tips, commits);
  for (std::size_t i = 0; i < commits.size(); ++i) {
    if (reached[i]) proven_.insert(commits[i]);
  }
}

std::optional<object::Oid> Closure::tree_of(const object::Oid& commit) {
  const auto object = all_.read(commit);
  if (!object || object->kind != object::Kind::commit) return std::nullopt;
  return object::CommitView(commit, object->bytes.view()).tree_id();
}

void Closure::compare_commits(const object::Oid& arrived, const object::Oid& proven) {
  if (arrived_(arrived) != object::Kind::commit) return;
  const auto arrived_tree = tree_of(arrived);
  const auto proven_tree = tree_of(proven);
  if (arrived_tree && proven_tree) compare_trees(*arrived_tree, *proven_tree);
}

// A stack of its own: trees may be as deep as the other side likes.
void Closure::compare_trees(const object::Oid& arrived, const object::Oid& proven) {
  std::vector<std::pair<object::Oid, object::Oid>> pending = {{arrived, proven}};
  while (!pending.empty()) {
    const auto [ours, theirs] = pending.back();
    pending.pop_back();
    if (ours == theirs) {
      proven_.insert(ours);
      continue;
    }
    if (arrived_(ours) != object::Kind::tree || !compared_.insert(ours).second) continue;
    const auto mine = all_.read(ours);
    const auto old = all_.read(theirs);
    if (!mine || !old || old->kind != object::Kind::tree) continue;
    const object::TreeView old_tree(theirs, old->bytes.view());
    auto at = old_tree.begin();
    // Both are in the order of names, or nearly: what is not met is walked later.
    for (const object::TreeEntry& entry : object::TreeView(ours, mine->bytes.view())) {
      const auto order = [&] {
        return object::compare_tree_names(at->name, at->is_tree(), entry.name, entry.is_tree());
      };
      while (at != old_tree.end() && order() < 0) ++at;
      if (at == old_tree.end()) break;
      if (order() != 0 || at->kind() != entry.kind() || entry.is_gitlink()) continue;
      if (at->id() == entry.id()) {
        proven_.insert(entry.id());
      } else if (entry.is_tree()) {
        pending.emplace_back(entry.id(), at->id());
      }
    }
  }
}

void Closure::require_there(const NamedObject& named) {
  const auto info = all_.info(named.id);
  if (!info) throw_missing(named);
  require_kind(named.id, info->kind, named.kind);
}

void Closure::name_parts_of(const NamedObject& whole, std::vector<NamedObject>& pending) {
  const auto object = all_.read(whole.id);
  if (!object) throw_missing(whole);
  std::vector<object::Oid> parents;
  for_each_named(whole.id, whole.kind, object->bytes.view(), !boundary_.contains(whole.id),
                 [&](const object::Oid& id, object::Kind kind) {
                   pending.push_back({id, kind, whole.id});
                   if (kind == object::Kind::commit && !is_proven(id)) parents.push_back(id);
                 });
  if (!parents.empty()) take_reached(parents);
}

void Closure::walk(std::vector<NamedObject> pending) {
  while (!pending.empty()) {
    const NamedObject named = pending.back();
    pending.pop_back();
    if (is_proven(named.id)) continue;
    require_there(named);
    proven_.insert(named.id);
    // What came with the pack has had its parts named already.
    const bool is_judged = arrived_(named.id).has_value();
    if (!is_judged && named.kind != object::Kind::blob) name_parts_of(named, pending);
  }
}

}  // namespace pfetch::session
