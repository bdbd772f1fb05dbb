#include "session/peel.h"

#include <fmt/format.h>

#include "base/error.h"
#include "object/commit_view.h"
#include "object/must_read.h"
#include "object/peel.h"

namespace pfetch::session {

object::Oid commit_of(object::ObjectSource& objects, const object::Oid& id) {
  if (const auto commit = object::commit_behind(objects, id)) return *commit;
  throw Error(ErrorCode::corrupt, fmt::format("object {} is not a commit: HEAD cannot be put there",
                                              object::peeled(objects, id).value_or(id).hex()));
}

object::Oid tree_of(object::ObjectSource& objects, const object::Oid& id) {
  const object::Oid end = object::peeled(objects, id).value_or(id);
  const auto found = objects.read(end);
  if (!found) throw Error(ErrorCode::corrupt, fmt::format("missing object {}", end.hex()));
  if (found->kind == object::Kind::commit) return object::CommitView(end, found->bytes.view()).tree_id();
  object::require_kind(end, found->kind, object::Kind::tree);
  return end;
}

}  // namespace pfetch::session
