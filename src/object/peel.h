// From a tag to what it stands for in the end.
#pragma once

#include <optional>

#include "object/object_source.h"

namespace pfetch::object {

// What `id` leads to when it is a tag, through tags of tags; nullopt when it is no tag, or when an object on the way is
// not there. Throws ErrorCode::refused for a chain of more than 64 tags.
std::optional<Oid> peeled(ObjectSource& objects, const Oid& id);

// The commit that `id` is or leads to; nullopt when it is something else, or not there. Throws as `peeled`.
std::optional<Oid> commit_behind(ObjectSource& objects, const Oid& id);

// The tree that `id` is or leads to: a commit's, or what a tag stands for; nullopt when it is something else, or not
// there. Throws as `peeled`.
std::optional<Oid> tree_behind(ObjectSource& objects, const Oid& id);

}  // namespace pfetch::object
