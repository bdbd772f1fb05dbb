// Which implementation names the objects that come in (pfetch.sha1), and libgit2's as the other choice.
//
// libgit2 is opened when it is asked for, not linked: it brings in twenty libraries. Thread safe.
#pragma once

#include <memory>

#include "object/hasher.h"
#include "repo/config.h"

namespace pfetch::repo {

// libgit2's git_odb_hash, which detects collisions too and is three to five times slower. Throws
// ErrorCode::unsupported, naming the library, when it is not installed.
std::unique_ptr<object::Hasher> libgit2_hasher();

// As pfetch.sha1 says: "checked" (our own, also when nothing is set) or "libgit2". Throws for any other value.
std::unique_ptr<object::Hasher> configured_hasher(const Config& config);

}  // namespace pfetch::repo
