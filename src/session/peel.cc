#include "session/peel.h"

#include <fmt/format.h>

#include "base/error.h"
#include "object/must_read.h"
#include "object/peel.h"

namespace pfetch::session {

object::Oid commit_of(object::ObjectSource& objects, const object::Oid& id) {
  if (const auto commit = object::commit_behind(objects, id)) return *commit;
  throw Error(ErrorCode::corrupt, fmt::format("object {} is not a commit: HEAD cannot be put there",
                                              object::peeled(objects, id).value_or(id).hex()));
}

object::Oid tree_of(object::ObjectSource& objects, const object::Oid& id) {
  if (const auto tree = object::tree_behind(objects, id)) return *tree;
  const object::Oid end = object::peeled(objects, id).value_or(id);
  if (const auto info = objects.info(end)) object::require_kind(end, info->kind, object::Kind::tree);
  throw Error(ErrorCode::corrupt, fmt::format("missing object {}", end.hex()));
}

}  // namespace pfetch::session
