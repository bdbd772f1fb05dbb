#include "object/peel.h"

#include <fmt/format.h>

#include "base/error.h"
#include "object/commit_view.h"
#include "object/tag_view.h"

namespace pfetch::object {

namespace {

constexpr int tag_depth_max = 64;  // tags of tags that are followed

}  // namespace

std::optional<Oid> peeled(ObjectSource& objects, const Oid& id) {
  Oid at = id;
  for (int depth = 0; depth < tag_depth_max; ++depth) {
    const auto info = objects.info(at);
    if (!info) return std::nullopt;
    if (info->kind != Kind::tag) return at == id ? std::nullopt : std::optional(at);
    const auto tag = objects.read(at);
    if (!tag) return std::nullopt;
    at = TagView(at, tag->bytes.view()).target_id();
  }
  throw Error(ErrorCode::refused, fmt::format("tag {} leads through more than {} others", id.hex(), tag_depth_max));
}

std::optional<Oid> commit_behind(ObjectSource& objects, const Oid& id) {
  const Oid target = peeled(objects, id).value_or(id);
  const auto info = objects.info(target);
  return info && info->kind == Kind::commit ? std::optional(target) : std::nullopt;
}

std::optional<Oid> tree_behind(ObjectSource& objects, const Oid& id) {
  const Oid target = peeled(objects, id).value_or(id);
  const auto object = objects.read(target);
  if (!object) return std::nullopt;
  if (object->kind == Kind::commit) return CommitView(target, object->bytes.view()).tree_id();
  return object->kind == Kind::tree ? std::optional(target) : std::nullopt;
}

}  // namespace pfetch::object
