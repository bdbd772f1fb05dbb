// What core.fsync wants to be on the disk before it counts as written (git-config, core.fsync).
#pragma once

#include "repo/config.h"

namespace pfetch::session {

struct Durability {
  bool packs = true;   // `pack`: packs and their indexes
  bool loose = false;  // `loose-object`; git's default leaves them, like refs, to the file system
  bool refs = false;   // `reference`
};

// Components are taken in order, a '-' before one takes it away. Names that are not known are passed over, as by git.
// core.fsyncObjectFiles, the older key, adds loose objects whatever core.fsync says.
Durability durability(const repo::Config& config);

}  // namespace pfetch::session
