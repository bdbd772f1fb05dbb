#include "session/peel.h"

#include <fmt/format.h>

#include "base/error.h"
#include "object/tag_view.h"

namespace pfetch::session {

namespace {

constexpr int tag_depth_max = 64;  // tags of tags that are followed

}  // namespace

std::optional<object::Oid> peeled(object::ObjectSource& objects, const object::Oid& id) {
  object::Oid at = id;
  for (int depth = 0; depth < tag_depth_max; ++depth) {
    const auto info = objects.info(at);
    if (!info) return std::nullopt;
    if (info->kind != object::Kind::tag) return at == id ? std::nullopt : std::optional(at);
    const auto tag = objects.read(at);
    if (!tag) return std::nullopt;
    at = object::TagView(at, tag->bytes.view()).target_id();
  }
  throw Error(ErrorCode::refused, fmt::format("tag {} leads through more than {} others", id.hex(), tag_depth_max));
}

object::Oid commit_of(object::ObjectSource& objects, const object::Oid& id) {
  const object::Oid target = peeled(objects, id).value_or(id);
  const auto info = objects.info(target);
  if (!info || info->kind != object::Kind::commit) {
    throw Error(ErrorCode::corrupt, fmt::format("object {} is not a commit: HEAD cannot be put there", target.hex()));
  }
  return target;
}

}  // namespace pfetch::session
