// From a tag to what it stands for in the end.
#pragma once

#include <optional>

#include "object/object_source.h"

namespace pfetch::session {

// What `id` leads to when it is a tag, through tags of tags; nullopt when it is no tag, or when an object on the way is
// not there. Throws ErrorCode::refused for a chain of more than 64 tags.
std::optional<object::Oid> peeled(object::ObjectSource& objects, const object::Oid& id);

// The commit that `id` is or leads to. Throws ErrorCode::corrupt when it leads to something else.
object::Oid commit_of(object::ObjectSource& objects, const object::Oid& id);

}  // namespace pfetch::session
