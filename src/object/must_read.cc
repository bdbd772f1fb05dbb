#include "object/must_read.h"

#include <fmt/format.h>

#include "base/error.h"

namespace pfetch::object {

void require_kind(const Oid& id, Kind is, Kind wanted) {
  if (is == wanted) return;
  throw Error(ErrorCode::corrupt,
              fmt::format("object {} is a {}, not a {}", id.hex(), kind_name(is), kind_name(wanted)));
}

Object must_read(ObjectSource& source, const Oid& id, Kind kind) {
  auto object = source.read(id);
  if (!object) throw Error(ErrorCode::corrupt, fmt::format("missing {} {}", kind_name(kind), id.hex()));
  require_kind(id, object->kind, kind);
  return std::move(*object);
}

}  // namespace pfetch::object
