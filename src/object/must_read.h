// Objects that must be there: what a command cannot go on without.
#pragma once

#include "object/object_source.h"

namespace pfetch::object {

// Throws ErrorCode::corrupt: "object <id> is a blob, not a tree".
void require_kind(const Oid& id, Kind is, Kind wanted);

// Throws ErrorCode::corrupt when it is not there ("missing tree <id>"), or is of another kind.
Object must_read(ObjectSource& source, const Oid& id, Kind kind);

}  // namespace pfetch::object
