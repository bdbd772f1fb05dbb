// `--prune-shallow`: drops from `.git/shallow` the roots that nothing needs any more.
#pragma once

#include <vector>

#include "object/oid.h"
#include "repo/repository.h"

namespace pfetch::command {

// Under the lock of `.git/shallow`, with refs and reflogs read after it was taken. Returns what was dropped.
std::vector<object::Oid> prune_boundary(const repo::Repository& repository, int wait_ms);

}  // namespace pfetch::command
