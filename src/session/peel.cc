#include "session/peel.h"

#include <fmt/format.h>

#include "base/error.h"
#include "object/peel.h"

namespace pfetch::session {

object::Oid commit_of(object::ObjectSource& objects, const object::Oid& id) {
  if (const auto commit = object::commit_behind(objects, id)) return *commit;
  throw Error(ErrorCode::corrupt, fmt::format("object {} is not a commit: HEAD cannot be put there",
                                              object::peeled(objects, id).value_or(id).hex()));
}

}  // namespace pfetch::session
