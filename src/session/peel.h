// From what HEAD is to be put on to its commit, and to its tree.
#pragma once

#include "object/object_source.h"

namespace pfetch::session {

// The commit that `id` is or leads to. Throws ErrorCode::corrupt when it leads to something else.
object::Oid commit_of(object::ObjectSource& objects, const object::Oid& id);

// The tree that `id` is or leads to: a commit's, or what a tag stands for. Throws ErrorCode::corrupt as above.
object::Oid tree_of(object::ObjectSource& objects, const object::Oid& id);

}  // namespace pfetch::session
