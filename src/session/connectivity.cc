#include "session/connectivity.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/trace.h"
#include "object/commit_view.h"
#include "object/tag_view.h"
#include "object/tree_view.h"

namespace pfetch::session {

namespace {

[[noreturn]] void throw_missing(const object::Oid& id, object::Kind kind) {
  throw Error(ErrorCode::corrupt, fmt::format("remote did not send all necessary objects: missing {} {}",
                                              object::kind_name(kind), id.hex()));
}

void require_kind(const object::Oid& id, object::Kind is, object::Kind named) {
  if (is == named) return;
  throw Error(ErrorCode::corrupt,
              fmt::format("object {} is a {}, not a {}", id.hex(), object::kind_name(is), object::kind_name(named)));
}

// Calls `visit(id, kind)` for each object that an object names.
template <typename Visit>
void for_each_named(const object::Oid& id, object::Kind kind, base::Bytes bytes, bool with_parents, Visit visit) {
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

}  // namespace

Connectivity::Connectivity(const std::vector<object::Oid>& boundary, ArrivedKind arrived)
    : boundary_(boundary.begin(), boundary.end()), arrived_(std::move(arrived)) {}

void Connectivity::accept(const object::ResolvedObject& resolved) {
  {
    Shard& shard = shards_[resolved.id.raw[0] % shard_count];
    const std::lock_guard lock(shard.mutex);
    if (const auto node = shard.missing.extract(resolved.id)) require_kind(resolved.id, resolved.kind, node.mapped());
  }
  if (resolved.kind != object::Kind::blob) name_parts_of(resolved);
}

void Connectivity::name_parts_of(const object::ResolvedObject& resolved) {
  const bool with_parents = !boundary_.contains(resolved.id);
  for_each_named(resolved.id, resolved.kind, resolved.bytes.view(), with_parents,
                 [&](const object::Oid& id, object::Kind kind) { name(id, kind, resolved.id); });
}

void Connectivity::name(const object::Oid& id, object::Kind kind, const object::Oid& by) {
  const auto check_arrived = [&] {
    const auto is = arrived_(id);
    if (is && *is != kind) {
      throw Error(ErrorCode::corrupt, fmt::format("object {} is a {}, but {} names it as a {}", id.hex(),
                                                  object::kind_name(*is), by.hex(), object::kind_name(kind)));
    }
    return is.has_value();
  };
  if (check_arrived()) return;
  Shard& shard = shards_[id.raw[0] % shard_count];
  const std::lock_guard lock(shard.mutex);
  // An object is known as arrived before it is delivered here, and is struck out under this lock: look once more.
  if (check_arrived()) return;
  const auto [at, fresh] = shard.missing.emplace(id, kind);
  if (!fresh) require_kind(id, at->second, kind);
}

void Connectivity::prove(const std::vector<object::Oid>& tips, object::ObjectSource* before,
                         const std::vector<object::Oid>& before_tips) {
  const base::TraceSpan span("connectivity");
  std::vector<std::pair<object::Oid, object::Kind>> named;
  for (const Shard& shard : shards_) named.insert(named.end(), shard.missing.begin(), shard.missing.end());
  for (const object::Oid& tip : tips) {
    if (arrived_(tip)) continue;
    const auto info = before != nullptr ? before->info(tip) : std::nullopt;
    if (!info) throw Error(ErrorCode::corrupt, "remote did not send all necessary objects: missing tip " + tip.hex());
    named.emplace_back(tip, info->kind);
  }
  if (named.empty()) return;
  if (before == nullptr) throw_missing(named.front().first, named.front().second);
  prove_before(std::move(named), *before, before_tips);
}

void Connectivity::prove_before(std::vector<std::pair<object::Oid, object::Kind>> named, object::ObjectSource& before,
                                const std::vector<object::Oid>& before_tips) {
  // Commits that the refs reach are proven: those refs were complete before. Anything else is walked to its leaves.
  std::unordered_set<object::Oid> proven;
  std::vector<object::Oid> commits(before_tips);
  while (!commits.empty()) {
    const object::Oid id = commits.back();
    commits.pop_back();
    if (!proven.insert(id).second) continue;
    const auto object = before.read(id);
    if (!object) continue;  // behind a boundary of that repository
    for_each_named(id, object->kind, object->bytes.view(), true, [&](const object::Oid& below, object::Kind kind) {
      if (kind == object::Kind::commit || kind == object::Kind::tag) commits.push_back(below);
    });
  }
  while (!named.empty()) {
    const auto [id, kind] = named.back();
    named.pop_back();
    const auto info = before.info(id);
    if (!info) {
      const auto is = arrived_(id);
      if (!is) throw_missing(id, kind);
      require_kind(id, *is, kind);
    }
    if (info) require_kind(id, info->kind, kind);
    if (!info || !proven.insert(id).second || kind == object::Kind::blob) continue;
    const auto object = before.read(id);
    if (!object) throw_missing(id, kind);
    for_each_named(id, kind, object->bytes.view(), !boundary_.contains(id),
                   [&](const object::Oid& below, object::Kind below_kind) { named.emplace_back(below, below_kind); });
  }
}

}  // namespace pfetch::session
