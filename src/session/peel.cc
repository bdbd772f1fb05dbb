#include "session/peel.h"

#include <fmt/format.h>

#include "base/error.h"
#include "object/peel.h"

namespace pfetch::session {

object::Oid commit_of(object::ObjectSource& objects, const object::Oid& id) {
  const object::Oid target = object::peeled(objects, id).value_or(id);
  const auto info = objects.info(target);
  if (!info || info->kind != object::Kind::commit) {
    throw Error(ErrorCode::corrupt, fmt::format("object {} is not a commit: HEAD cannot be put there", target.hex()));
  }
  return target;
}

}  // namespace pfetch::session
