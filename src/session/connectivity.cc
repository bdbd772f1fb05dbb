#include "session/connectivity.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/trace.h"

namespace pfetch::session {

Connectivity::Connectivity(const std::vector<object::Oid>& boundary, ArrivedKind arrived)
    : boundary_(boundary.begin(), boundary.end()), arrived_(std::move(arrived)) {}

void Connectivity::accept(const object::ResolvedObject& resolved) {
  Shard& shard = shards_[resolved.id.raw[0] % shard_count];
  {
    const std::lock_guard lock(shard.mutex);
    if (const auto node = shard.missing.extract(resolved.id)) {
      require_kind(resolved.id, resolved.kind, node.mapped().kind);
    }
  }
  if (resolved.kind != object::Kind::blob) name_parts_of(resolved, shard);
}

void Connectivity::name_parts_of(const object::ResolvedObject& resolved, Shard& shard) {
  const bool is_root = boundary_.contains(resolved.id);
  if (is_root) {
    const std::lock_guard lock(shard.mutex);
    shard.roots.push_back(resolved.id);
  }
  for_each_named(resolved.id, resolved.kind, resolved.bytes.view(), !is_root,
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
  const auto [at, fresh] = shard.missing.try_emplace(id, Missing{kind, by});
  if (!fresh) require_kind(id, at->second.kind, kind);
}

void Connectivity::prove(const std::vector<object::Oid>& tips, object::ObjectSource& all, const Before* before) {
  const base::TraceSpan span("connectivity");
  std::vector<NamedObject> named;
  std::vector<object::Oid> roots;
  for (const Shard& shard : shards_) {
    for (const auto& [id, missing] : shard.missing) named.push_back({id, missing.kind, missing.by});
    roots.insert(roots.end(), shard.roots.begin(), shard.roots.end());
  }
  for (const object::Oid& tip : tips) {
    if (arrived_(tip)) continue;
    const auto info = before != nullptr ? before->objects.info(tip) : std::nullopt;
    if (!info) throw Error(ErrorCode::corrupt, "remote did not send all necessary objects: missing tip " + tip.hex());
    named.push_back({tip, info->kind, {}});
  }
  if (named.empty()) return;
  if (before == nullptr) throw_missing(named.front());
  Closure(*before, all, boundary_, arrived_).prove(named, roots);
}

}  // namespace pfetch::session
